import { HandrailError } from '../domain/errors.ts';
import { parseNetworkList } from '../lib/network/network-list.ts';
import type { Decision } from './registry.ts';
import { type InstallationSettings, settingsId, settingsOf } from './settings.ts';
import type { Snapshot } from './snapshot.ts';

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
  if (patch.egressAllow) checkEgress(patch.egressAllow);
  const next: Record<string, unknown> = { ...current, ...patch, revision: current.revision + 1 };
  for (const key of Object.keys(next)) if (next[key] === undefined || next[key] === null) delete next[key];
  return {
    changes: [{ op: 'put', kind: 'setting', entity: { id: settingsId, value: JSON.stringify(next) } }],
    result: next as unknown as InstallationSettings,
  };
}

function checkEgress(entries: readonly string[]): void {
  try {
    parseNetworkList(entries);
  } catch (error) {
    const message = (error as RangeError).message;
    throw new HandrailError('invalid_input', `The egress list cannot be read: ${message}`, {
      problems: [{ path: '/egressAllow', message }],
    });
  }
}
