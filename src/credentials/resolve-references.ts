import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { isAbsolute, normalize, sep } from 'node:path';
import { credentialErrors } from '../domain/error-messages/credentials.ts';
import { referenceIn, type SecretReference } from '../domain/secret-references.ts';
import { WeakCache } from '../lib/weak-cache.ts';
import type { SecretFields } from './seal.ts';

/** Finds the secrets that references name, when they are used. Nothing of them is stored. */
export interface SecretReferences {
  /** Rejects references that the operator doesn't allow. */
  check(fields: SecretFields): void;
  /** Runs the command for references whose value isn't known, or no longer fresh. */
  prepare(fields: SecretFields): Promise<void>;
  /** The fields with secrets instead of references; the same object while no secret has changed. */
  resolve(fields: SecretFields): SecretFields;
  /** Changes whenever a secret has changed. */
  readonly version: number;
}

interface ReferenceOptions {
  /** Which references are allowed, such as `env:SECRET_*` or `file:/run/secrets/*`. */
  readonly allow: readonly string[];
  /** The program that prints a secret, and its arguments; the name is the last argument. */
  readonly command: readonly string[] | null;
  readonly now: () => number;
}

const maxSecretBytes = 65_536;
const commandTimeoutMs = 10_000;
/** How long a secret that the command printed is used before it is asked again. */
const freshMs = 60_000;

export function createSecretReferences({ allow, command, now }: ReferenceOptions): SecretReferences {
  const files = new Map<string, { readonly version: string; readonly text: string }>();
  const printed = new Map<string, { readonly atMs: number; readonly text: string }>();
  const running = new Map<string, Promise<void>>();
  const resolved = new WeakCache<SecretFields, SecretFields>();
  let version = 0;

  function checkOne({ kind, name }: SecretReference): void {
    const reference = `${kind}:${name}`;
    if (kind === 'command') {
      if (command === null)
        throw credentialErrors.referenceNotAllowed({ reference, setting: 'HANDRAIL_SECRET_COMMAND' });
      // It is an argument of a program.
      if (name.startsWith('-'))
        throw credentialErrors.referenceUnusable({ reference, reason: 'starts with a dash' });
      return;
    }
    const isPlain = kind === 'env' || (isAbsolute(name) && normalize(name) === name && !name.endsWith(sep));
    if (!isPlain || !allow.some((pattern) => matches(pattern, reference)))
      throw credentialErrors.referenceNotAllowed({ reference, setting: 'HANDRAIL_SECRET_REFERENCES' });
  }

  function readFile(name: string): string {
    const stat = statSync(name, { throwIfNoEntry: false });
    if (stat === undefined || !stat.isFile() || stat.size > maxSecretBytes)
      throw unusable('file', name, 'is not a file of at most 64 kB');
    const seen = `${stat.ino} ${stat.mtimeMs} ${stat.size}`;
    const held = files.get(name);
    if (held?.version === seen) return held.text;
    const text = withoutLineEnd(readFileSync(name, 'utf8'));
    files.set(name, { version: seen, text });
    return text;
  }

  function valueOf(reference: SecretReference): string {
    const { kind, name } = reference;
    checkOne(reference);
    try {
      const text =
        kind === 'env' ? process.env[name] : kind === 'file' ? readFile(name) : printed.get(name)?.text;
      if (text !== undefined && text !== '') return text;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EACCES')
        throw unusable(kind, name, 'cannot be read by this user');
      throw error;
    }
    throw unusable(kind, name, kind === 'env' ? 'is not set' : 'is empty or unknown');
  }

  async function runCommand(name: string): Promise<void> {
    const [program, ...args] = command ?? [];
    const text = await new Promise<string>((resolve, reject) => {
      execFile(
        program!,
        [...args, name],
        { timeout: commandTimeoutMs, maxBuffer: maxSecretBytes, encoding: 'utf8' },
        // What it printed may contain the secret: only that it failed is reported.
        (error, stdout) => (error === null ? resolve(stdout) : reject(unusable('command', name, 'failed'))),
      );
    });
    printed.set(name, { atMs: now(), text: withoutLineEnd(text) });
  }

  return {
    get version() {
      return version;
    },
    check(fields) {
      for (const value of Object.values(fields)) {
        const reference = referenceIn(value);
        if (reference !== null) checkOne(reference);
      }
    },
    async prepare(fields) {
      for (const value of Object.values(fields)) {
        const reference = referenceIn(value);
        if (reference?.kind !== 'command') continue;
        checkOne(reference);
        const { name } = reference;
        const held = printed.get(name);
        if (held !== undefined && now() - held.atMs < freshMs) continue;
        let asked = running.get(name);
        if (asked === undefined)
          running.set(name, (asked = runCommand(name).finally(() => running.delete(name))));
        // A vault that is away for a while doesn't stop calls that worked before.
        await (held === undefined ? asked : asked.catch(() => {}));
      }
    },
    resolve(fields) {
      const values = Object.fromEntries(
        Object.entries(fields).map(([name, value]) => {
          const reference = referenceIn(value);
          return [name, reference === null ? value : valueOf(reference)];
        }),
      );
      const before = resolved.get(fields);
      if (before !== undefined && Object.entries(values).every(([name, value]) => before[name] === value))
        return before;
      resolved.set(fields, values);
      version++;
      return values;
    },
  };
}

/** The words of `HANDRAIL_SECRET_COMMAND`; null if there is none. */
export function commandWords(command: string | undefined): readonly string[] | null {
  return command === undefined ? null : command.split(' ').filter(Boolean);
}

function matches(pattern: string, reference: string): boolean {
  return pattern.endsWith('*') ? reference.startsWith(pattern.slice(0, -1)) : reference === pattern;
}

function withoutLineEnd(text: string): string {
  return text.endsWith('\r\n') ? text.slice(0, -2) : text.endsWith('\n') ? text.slice(0, -1) : text;
}

function unusable(kind: string, name: string, reason: string) {
  return credentialErrors.referenceUnusable({ reference: `${kind}:${name}`, reason });
}
