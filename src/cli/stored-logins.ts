import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { object, record, text } from '../lib/schema/schema.ts';
import { readJson } from '../lib/schema/read-json.ts';
import { trimEndOf } from '../lib/text/tidy-text.ts';

const login = object({
  token: text({ min: 1, max: 200 }),
  name: text({ min: 1, max: 200 }),
  expiresAt: text({ min: 1, max: 50 }),
});
const logins = record(text({ max: 2_000 }), login, { max: 1_000 });

/** A login of this account on this machine. */
export interface StoredLogin {
  readonly token: string;
  readonly name: string;
  readonly expiresAt: string;
}

/** Where logins are kept: in the configuration folder of this account, readable by no one else. */
function fileOf(env: NodeJS.ProcessEnv): string {
  const config =
    env['XDG_CONFIG_HOME'] ??
    (process.platform === 'win32' ? env['APPDATA'] : undefined) ??
    join(env['HOME'] ?? homedir(), '.config');
  return join(config, 'handrail', 'logins.json');
}

/** Every login, by the gateway's address. */
export function readLogins(env: NodeJS.ProcessEnv = process.env): Readonly<Record<string, StoredLogin>> {
  const file = fileOf(env);
  if (!existsSync(file)) return {};
  // A copy or an archive may have widened them.
  chmodSync(file, 0o600);
  return readJson(logins, readFileSync(file, 'utf8')) ?? {};
}

/** The login at a gateway, if there is one that hasn't expired. */
export function loginAt(url: string, env: NodeJS.ProcessEnv = process.env): StoredLogin | undefined {
  const found = readLogins(env)[addressOf(url)];
  return found !== undefined && Date.parse(found.expiresAt) > Date.now() ? found : undefined;
}

/** Keeps a login, or forgets it. */
export function keepLogin(url: string, kept: StoredLogin | null, env: NodeJS.ProcessEnv = process.env): void {
  const file = fileOf(env);
  const { [addressOf(url)]: _before, ...others } = readLogins(env);
  const all = kept === null ? others : { ...others, [addressOf(url)]: kept };
  if (Object.keys(all).length === 0) return rmSync(file, { force: true });
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // Replaced as a whole, so that no command ever reads half of it.
  writeFileSync(`${file}.new`, `${JSON.stringify(all, null, 2)}\n`, { mode: 0o600 });
  chmodSync(`${file}.new`, 0o600);
  renameSync(`${file}.new`, file);
}

/** How a gateway's address is written here. */
export function addressOf(url: string): string {
  return trimEndOf(url, '/');
}
