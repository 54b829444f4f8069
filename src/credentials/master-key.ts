import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HandrailError } from '../domain/errors.ts';
import type { MetaStore } from '../storage/ports.ts';
import type { KeyRing, MasterKey } from './seal.ts';
import { masterKey } from './seal.ts';
import { errorCode } from '../lib/thrown-errors.ts';

const fileName = 'secret.key';
const keyIdFact = 'secret_key_id';

/** Where the master key comes from. */
export interface MasterKeySource {
  /** `HANDRAIL_SECRET_KEY`: 32 bytes in base64; while keys are exchanged several, separated by commas, the newest first. */
  readonly secretKey?: string;
  /** The folder of the key file; null when the key must come from the environment. */
  readonly dataDir: string | null;
  readonly meta: MetaStore;
}

export interface LoadedKeys {
  readonly ring: KeyRing;
  /** What the operator should know and do, when something about the keys is not as it ought to be. */
  readonly warning: string | null;
}

/**
 * Finds the master key, or makes one at the very first start. A key that was lost does not stop Handrail when it keeps
 * its own store: everything without a secret goes on working. A shared store (no data folder) is refused instead.
 */
export async function loadMasterKey(source: MasterKeySource): Promise<LoadedKeys> {
  const storedId = await source.meta.get(keyIdFact);
  if (source.secretKey !== undefined && source.secretKey.trim() !== '') {
    const keys = parseKeys(source.secretKey, 'HANDRAIL_SECRET_KEY');
    const ring = ringOf(() => keys);
    const id = storedId ?? (await source.meta.setIfAbsent(keyIdFact, keys[0]!.id));
    if (keys.some((key) => key.id === id)) return { ring, warning: null };
    const why = `The store's secrets were sealed with the master key ${id}, but HANDRAIL_SECRET_KEY is the key ${keys[0]!.id}`;
    if (source.dataDir === null) {
      throw new HandrailError(
        'config_invalid',
        `${why}. Start with the right key, or with both: HANDRAIL_SECRET_KEY=new,old.`,
      );
    }
    return {
      ring,
      warning: `${why}. Until the right key is back, stored secrets cannot be used; with "handrail rotate-key --lost-key" you accept the loss and enter them again.`,
    };
  }
  if (source.dataDir === null) {
    throw new HandrailError(
      'config_invalid',
      'With DATABASE_URL the master key must be given: set HANDRAIL_SECRET_KEY to 32 random bytes in base64 (openssl rand -base64 32), the same for every instance.',
    );
  }
  return loadKeyFile(join(source.dataDir, fileName), storedId, source.meta);
}

async function loadKeyFile(path: string, storedId: string | null, meta: MetaStore): Promise<LoadedKeys> {
  if (!existsSync(path) && storedId === null) writeNewFile(path);
  const what = `The master key ${storedId ?? ''} is lost: ${fileName} is missing from the data folder and HANDRAIL_SECRET_KEY is not set`;
  const ring = fileRing(path, what);
  if (!existsSync(path)) {
    return {
      ring,
      warning: `${what}. Everything without a secret still works. Restore the key, or run "handrail rotate-key --lost-key" to start with a new one and enter the secrets again.`,
    };
  }
  const first = ring.current();
  const id = storedId ?? (await meta.setIfAbsent(keyIdFact, first.id));
  if (ring.find(id) === null) {
    return {
      ring,
      warning: `The store's secrets were sealed with the master key ${id}, but ${fileName} holds ${first.id}. Restore the right key, or run "handrail rotate-key --lost-key" and enter the secrets again.`,
    };
  }
  return { ring, warning: permissionWarning(path) };
}

// Two processes may start at once: only one makes the file, the other reads it.
function writeNewFile(path: string): void {
  try {
    writeFileSync(path, `${randomBytes(32).toString('base64')}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return;
    throw new HandrailError(
      'config_invalid',
      `The key file ${fileName} cannot be written in the data folder: check its permissions.`,
      {},
      { cause: error },
    );
  }
}

/** A ring that follows its file: another process may exchange the key, or replace a lost one, while this one serves. */
function fileRing(path: string, lost: string): KeyRing {
  let readVersion = fileVersion(path);
  let keys = readVersion === null ? [] : readKeyFile(path);
  const refresh = (): readonly MasterKey[] => {
    const version = fileVersion(path);
    // When the file went away while we serve, what was read stays good.
    if (version !== null && version !== readVersion) {
      keys = readKeyFile(path);
      readVersion = version;
    }
    return keys;
  };
  return {
    current() {
      const first = refresh()[0];
      if (first !== undefined) return first;
      throw new HandrailError(
        'credential_unreadable',
        `${lost}. Restore it, or run "handrail rotate-key --lost-key" and enter the secrets again.`,
      );
    },
    find: (id) => keys.find((key) => key.id === id) ?? refresh().find((key) => key.id === id) ?? null,
  };
}

// A clock tick is too coarse to tell two versions apart; a renamed file has another inode.
function fileVersion(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? null : `${stat.ino} ${stat.mtimeMs} ${stat.size}`;
}

function ringOf(keys: () => readonly MasterKey[]): KeyRing {
  return {
    current: () => keys()[0]!,
    find: (id) => keys().find((key) => key.id === id) ?? null,
  };
}

function readKeyFile(path: string): readonly MasterKey[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new HandrailError(
      'config_invalid',
      `The key file ${fileName} cannot be read: check its permissions.`,
      {},
      { cause: error },
    );
  }
  return parseKeys(text.trim().split(/\s+/).join(','), `The key file ${fileName}`);
}

function parseKeys(text: string, what: string): readonly MasterKey[] {
  return text.split(',').map((part) => {
    const trimmed = part.trim();
    const bytes = Buffer.from(trimmed, 'base64');
    if (bytes.length !== 32 || !/^[A-Za-z0-9+/_-]{43}=?$/.test(trimmed)) {
      throw new HandrailError(
        'config_invalid',
        `${what} must be 32 bytes in base64 (44 characters), such as "openssl rand -base64 32" prints.`,
      );
    }
    return masterKey(bytes);
  });
}

function permissionWarning(path: string): string | null {
  if (process.platform === 'win32' || (statSync(path).mode & 0o077) === 0) return null;
  return `Others on this machine can read the key file ${fileName}: run chmod 600 on it.`;
}

/**
 * Puts a new key before the present one in the key file, and keeps the present one for rows that still need it.
 * Returns the new key's id. The rename makes a serving process see the old file or the new one, never half of it.
 */
export function addKeyToFile(dataDir: string): string {
  const path = join(dataDir, fileName);
  const fresh = randomBytes(32);
  const kept = existsSync(path) ? readKeyFile(path).slice(0, 1) : [];
  const lines = [fresh, ...kept.map((key) => key.bytes)].map((bytes) => bytes.toString('base64'));
  writeFileSync(`${path}.new`, `${lines.join('\n')}\n`, { mode: 0o600 });
  chmodSync(`${path}.new`, 0o600);
  renameSync(`${path}.new`, path);
  return masterKey(fresh).id;
}

/** Records which key the store's secrets are sealed with from now on. */
export function recordKeyId(meta: MetaStore, keyId: string): Promise<void> {
  return meta.set(keyIdFact, keyId);
}
