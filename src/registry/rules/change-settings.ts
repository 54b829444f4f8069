import { HandrailError } from '../../domain/errors.ts';
import { type InstallationSettings, settingsId } from '../../domain/settings.ts';
import type { Decision } from '../registry.ts';
import { settingsOf } from '../settings.ts';
import type { Snapshot } from '../snapshot.ts';

/** A change of settings; null goes back to what the environment says. */
export type SettingsPatch = {
  readonly [K in Exclude<keyof InstallationSettings, 'revision'>]?:
    | InstallationSettings[K]
    | null
    | undefined;
};

/** Changes settings. */
export function updateSettings(
  snapshot: Snapshot,
  patch: SettingsPatch,
  expectedRevision: number | undefined,
): Decision<InstallationSettings> {
  const current = settingsOf(snapshot.settings);
  if (expectedRevision !== undefined && expectedRevision !== current.revision) {
    throw new HandrailError(
      'stale',
      `The settings were changed meanwhile: you edited revision ${expectedRevision}, the current one is ${current.revision}. Read them again and repeat your change.`,
      { current: current.revision },
    );
  }
  const given = Object.entries({ ...current, ...patch }).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  const next: InstallationSettings = { ...Object.fromEntries(given), revision: current.revision + 1 };
  return {
    changes: [{ op: 'put', kind: 'setting', entity: { id: settingsId, value: JSON.stringify(next) } }],
    result: next,
  };
}
