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
  'Days that call records are kept; 0 keeps them forever.',
);

/** For how many days arguments and replies are kept. */
export const contentRetentionDays = described(
  integer({ min: 0, max: 3_650 }),
  'Days that arguments and replies are kept in call records; 0 keeps them as long as the record.',
);

/** For how many days the audit log is kept. */
export const auditRetentionDays = described(
  integer({ min: 0, max: 3_650 }),
  'Days that the audit log is kept; 0 keeps it forever.',
);

/** The settings of the whole installation, editable by owners. */
export const settingsFields = {
  egressAllow: described(
    egressList,
    'Private or local addresses that APIs may use, in addition to those from the environment.',
  ),
  limits: described(limitOverrides, 'Limits that apply unless the API or the tool overrides them.'),
  retentionDays,
  contentRetentionDays,
  auditRetentionDays,
  passwordSignIn: described(
    choice('everyone', 'owners'),
    'Who may sign in with a password: everyone who has one, or only owners, as an emergency access that is logged loudly.',
  ),
  secondFactor: described(
    choice('optional', 'owners', 'everyone'),
    'Who must sign in with a second factor in addition to a password: no one, owners, or everyone who has a password. People without one set it up at their next sign-in.',
  ),
  recordContents: described(flag(), 'Keep (redacted) arguments and replies in call records.'),
};

/** An owner's settings for the whole installation; the environment applies to what is absent. */
export const installationSettings = object({
  ...partial(settingsFields),
  revision: integer({ min: 0 }),
});

export type InstallationSettings = Infer<typeof installationSettings>;

/** The supported databases. */
export const storeKinds = ['sqlite', 'postgres'] as const;

export type StoreKind = (typeof storeKinds)[number];

/** The id of the row with the installation's settings, as JSON text. */
export const settingsId = 'installation';

/** The id of the row with the hash of the admin token. */
export const adminTokenId = 'admin_token_hash';

/** A stored value of the whole installation, as text. */
export const setting = withRule(
  object({
    id: choice(...([settingsId, adminTokenId] as readonly string[])),
    value: text({ min: 1, max: 1_000_000 }),
  }),
  ({ id, value }, report) => {
    if (id !== settingsId) return;
    let settings: unknown;
    try {
      settings = JSON.parse(value);
    } catch {
      return report('/value', 'is not JSON');
    }
    for (const { path, message } of problemsIn(installationSettings, settings))
      report(`/value${path}`, message);
  },
);

export type Setting = Infer<typeof setting>;
