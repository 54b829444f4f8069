import { registryErrors } from '../../domain/error-messages/registry.ts';
import { type InstallationSettings, settingsId } from '../../domain/settings.ts';
import type { Decision } from '../registry.ts';
import { settingsOf } from '../settings.ts';
import type { Snapshot } from '../snapshot.ts';

/** A change of settings; null restores the value from the environment. */
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
    throw registryErrors.settingsStale(
      { edited: expectedRevision, current: current.revision },
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
