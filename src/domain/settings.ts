import {
  choice,
  described,
  flag,
  type Infer,
  integer,
  object,
  partial,
  text,
  withRule,
} from '../lib/schema/schema.ts';
import { problemsIn } from '../lib/schema/problems.ts';
import { egressList } from './api.ts';
import { limitOverrides } from './limits.ts';

/** For how many days call records are kept. */
export const retentionDays = described(
  integer({ min: 0, max: 3_650 }),
  'Days that call records are kept; 0 keeps them for ever.',
);

/** The fields of what an owner may set for the whole installation. */
export const settingsFields = {
  egressAllow: described(
    egressList,
    'Private or local addresses that APIs may be called at, besides those of the environment.',
  ),
  limits: described(limitOverrides, 'What applies when neither the API nor the tool says otherwise.'),
  retentionDays,
  recordContents: described(flag(), 'Keep (redacted) arguments and replies in call records.'),
};

/** What an owner set for the whole installation; what is absent is as the environment says. */
export const installationSettings = object({
  ...partial(settingsFields),
  revision: integer({ min: 0 }),
});

export type InstallationSettings = Infer<typeof installationSettings>;

/** The databases that an installation can be kept in. */
export const storeKinds = ['sqlite', 'postgres'] as const;

export type StoreKind = (typeof storeKinds)[number];

/** The id of the row that holds the settings of the installation, as JSON text. */
export const settingsId = 'installation';

/** The id of the row that holds the hash of the admin token. */
export const adminTokenId = 'admin_token_hash';

/** A value that is kept for the whole installation, as text. */
export const setting = withRule(
  object({
    id: choice(...([settingsId, adminTokenId] as readonly string[])),
    value: text({ min: 1, max: 1_000_000 }),
  }),
  ({ id, value }, tell) => {
    if (id !== settingsId) return;
    let settings: unknown;
    try {
      settings = JSON.parse(value);
    } catch {
      return tell('/value', 'is not JSON');
    }
    for (const { path, message } of problemsIn(installationSettings, settings))
      tell(`/value${path}`, message);
  },
);

export type Setting = Infer<typeof setting>;
