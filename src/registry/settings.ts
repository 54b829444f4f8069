import { installationSettings, type InstallationSettings, settingsId } from '../domain/settings.ts';
import type { Snapshot } from './snapshot.ts';
import { readJson } from '../lib/schema/read-json.ts';

const none: InstallationSettings = { revision: 0 };
const parsed = new Map<string, InstallationSettings>();

/** The settings in a snapshot. */
export function settingsOf(settings: Snapshot['settings']): InstallationSettings {
  const text = settings.get(settingsId);
  if (text === undefined) return none;
  let known = parsed.get(text);
  if (known === undefined) {
    // Checked when it was loaded or committed: a row with a different form is set aside.
    known = readJson(installationSettings, text) ?? none;
    // Read often and changed rarely, so one is cached.
    parsed.clear();
    parsed.set(text, known);
  }
  return known;
}
