import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { credentialErrors } from '../domain/error-messages/credentials.ts';
import type { MetaStore } from '../storage/ports.ts';
import { referenceIn } from '../domain/secret-references.ts';
import { commandWords, createSecretReferences } from './resolve-references.ts';
import type { KeyRing, MasterKey, SecretFields } from './seal.ts';
import { masterKey } from './seal.ts';
import { errorCode } from '../lib/thrown-errors.ts';

const fileName = 'secret.key';
const keyIdFact = 'secret_key_id';

/** Where the master key comes from. */
export interface MasterKeySource {
  /** `HANDRAIL_SECRET_KEY`: 32 bytes in base64; several during rotation, separated by commas, the newest first. */
  readonly secretKey?: string;
  /** `HANDRAIL_SECRET_COMMAND`, for a key that is `${command:NAME}`. */
  readonly secretCommand?: string;
  /** The folder of the key file; null if the key must be in the environment. */
  readonly dataDir: string | null;
  readonly meta: MetaStore;
}

export interface LoadedKeys {
  readonly ring: KeyRing;
  /** A problem with the keys and what the operator should do about it. */
  readonly warning: string | null;
}

/**
 * Finds the master key, or creates one at the very first start. With the embedded store, Handrail starts even if the key
 * is lost: everything without a secret still works. With a shared store (no data folder) it refuses to start.
 */
export async function loadMasterKey(source: MasterKeySource): Promise<LoadedKeys> {
  const storedId = await source.meta.get(keyIdFact);
  if (source.secretKey !== undefined && source.secretKey.trim() !== '') {
    const ring = ringOf(await openKeys(source.secretKey, source.secretCommand));
    const first = ring.current();
    const id = storedId ?? (await source.meta.setIfAbsent(keyIdFact, first.id));
    if (ring.find(id) !== null) return { ring, warning: null };
    const reason = `The store's secrets were encrypted with the master key ${id}, but HANDRAIL_SECRET_KEY is the key ${first.id}`;
    if (source.dataDir === null) throw credentialErrors.wrongMasterKey({ reason });
    return {
      ring,
      warning: `${reason}. Until the right key is restored, stored secrets cannot be used. To accept the loss, run "handrail rotate-key --lost-key" and enter them again.`,
    };
  }
  if (source.dataDir === null) throw credentialErrors.masterKeyRequired();
  return loadKeyFile(join(source.dataDir, fileName), storedId, source.meta);
}

/** The keys of `HANDRAIL_SECRET_KEY`. Those behind a reference are followed, so they can be rotated without a restart. */
async function openKeys(
  secretKey: string,
  secretCommand: string | undefined,
): Promise<() => readonly MasterKey[]> {
  const what = 'HANDRAIL_SECRET_KEY';
  if (referenceIn(secretKey) === null) {
    const keys = parseKeys(secretKey, what);
    return () => keys;
  }
  // The operator wrote it, and may name anything.
  const references = createSecretReferences({
    allow: ['env:*', 'file:*'],
    command: commandWords(secretCommand),
    now: Date.now,
  });
  const reference = { key: secretKey };
  await references.prepare(reference);
  let from = references.resolve(reference);
  let keys = parseReferenced(from, what);
  return () => {
    // In the background: it does nothing while the value is fresh.
    references.prepare(reference).catch(() => {});
    try {
      const now = references.resolve(reference);
      if (now !== from) [from, keys] = [now, parseReferenced(now, what)];
    } catch {
      // If it disappears or is half written while we are running, the keys that were read stay valid.
    }
    return keys;
  };
}

function parseReferenced({ key = '' }: SecretFields, what: string): readonly MasterKey[] {
  return parseKeys(key.trim().split(/\s+/).join(','), what);
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
      warning: `The store's secrets were encrypted with the master key ${id}, but ${fileName} contains ${first.id}. Restore the right key, or run "handrail rotate-key --lost-key" and enter the secrets again.`,
    };
  }
  return { ring, warning: permissionWarning(path) };
}

// Two processes may start at the same time: only one creates the file, the other reads it.
function writeNewFile(path: string): void {
  try {
    writeFileSync(path, `${randomBytes(32).toString('base64')}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return;
    throw credentialErrors.keyFileNotWritable({ file: fileName }, {}, { cause: error });
  }
}

/** A ring that follows its file: another process may rotate the key, or replace a lost one, while this one is running. */
function fileRing(path: string, lost: string): KeyRing {
  let readVersion = fileVersion(path);
  let keys = readVersion === null ? [] : readKeyFile(path);
  const refresh = (): readonly MasterKey[] => {
    const version = fileVersion(path);
    // If the file disappears while we are running, the keys that were read stay valid.
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
      throw credentialErrors.masterKeyLost({ reason: lost });
    },
    find: (id) => keys.find((key) => key.id === id) ?? refresh().find((key) => key.id === id) ?? null,
  };
}

// The modification time is too coarse to distinguish two versions; a renamed file has another inode.
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
    throw credentialErrors.keyFileNotReadable({ file: fileName }, {}, { cause: error });
  }
  return parseKeys(text.trim().split(/\s+/).join(','), `The key file ${fileName}`);
}

function parseKeys(text: string, what: string): readonly MasterKey[] {
  return text.split(',').map((part) => {
    const trimmed = part.trim();
    const bytes = Buffer.from(trimmed, 'base64');
    if (bytes.length !== 32 || !/^[A-Za-z0-9+/_-]{43}=?$/.test(trimmed)) {
      throw credentialErrors.keyNotBase64({ what });
    }
    return masterKey(bytes);
  });
}

function permissionWarning(path: string): string | null {
  if (process.platform === 'win32' || (statSync(path).mode & 0o077) === 0) return null;
  return `Other users of this machine can read the key file ${fileName}: run chmod 600 on it.`;
}

/**
 * Adds a new key before the current one in the key file, and keeps the current one for rows that still need it.
 * Returns the new key's id. Because of the rename, a running process sees the old file or the new one, never a partial one.
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
