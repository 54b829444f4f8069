import type { LimitOverrides } from '../domain/limits.ts';
import type { Snapshot } from './snapshot.ts';

/** What an owner set for the whole installation; what is absent is as the environment says. */
export interface InstallationSettings {
  readonly egressAllow?: readonly string[];
  readonly limits?: LimitOverrides;
  readonly retentionDays?: number;
  readonly recordContents?: boolean;
  readonly revision: number;
}

/** The one registry entity that holds them. */
export const settingsId = 'installation';

const none: InstallationSettings = { revision: 0 };
const parsed = new Map<string, InstallationSettings>();

/** The settings as they stand in a snapshot. */
export function settingsOf(settings: Snapshot['settings']): InstallationSettings {
  const text = settings.get(settingsId);
  if (text === undefined) return none;
  let known = parsed.get(text);
  if (known === undefined) {
    known = JSON.parse(text) as InstallationSettings;
    // Asked for often and changed rarely: one is remembered.
    parsed.clear();
    parsed.set(text, known);
  }
  return known;
}
