import type { SimpleScheme } from '../../domain/auth-scheme.ts';
import type { Operation } from '../../domain/operation.ts';
import {
  describesCredential,
  describesPosition,
  type NameSays,
  nameSays,
  wordsOf,
} from './credential-names.ts';
import { type Input, inputsOf } from './operation-inputs.ts';

export type CredentialPlace = 'header' | 'query' | 'cookie' | 'body';

/** An input that authenticates, across all operations that have it. */
export interface FoundCredential {
  /** The most common spelling. */
  readonly key: string;
  readonly in: CredentialPlace;
  readonly isCompanion: boolean;
  /** The operations that have it, by index. */
  readonly operations: ReadonlySet<number>;
  /** How many of them require it. */
  readonly required: number;
  /** How it is sent as a stored credential instead of an argument. */
  readonly scheme: SimpleScheme;
}

interface Group {
  readonly name: string;
  readonly inBody: boolean;
  readonly says: Exclude<NameSays, 'nothing'>;
  readonly spellings: Map<string, number>;
  readonly places: Map<CredentialPlace, number>;
  readonly operations: Set<number>;
  required: number;
  described: number;
  positions: number;
  readonly samples: Input[];
}

/** Normalizes names that differ only in spelling. */
export function plainName(name: string): string {
  return wordsOf(name).join('');
}

/**
 * The inputs that authenticate: detected by their names, their descriptions, and the number of operations that have them.
 * `declared` are the names that the document's own security schemes use.
 */
export function findCredentials(
  operations: readonly (Operation | null)[],
  declared: ReadonlySet<string>,
): FoundCredential[] {
  const groups = groupInputs(operations, declared);
  const total = operations.filter((operation) => operation !== null).length;
  const withBody = operations.filter((operation) => operation?.body !== undefined).length;
  const secrets = groups.filter(
    (group) =>
      group.says !== 'companion' &&
      (isDeclared(group, declared) ||
        isCredential(group, total, withBody) ||
        isAlsoElsewhere(group, groups, total, withBody)),
  );
  const companions = groups.filter(
    (group) =>
      group.says === 'companion' &&
      (isDeclared(group, declared) || secrets.some((secret) => goesWith(group, secret, total))),
  );
  return [...secrets, ...companions].map(finish);
}

// A body property may coincidentally have the name of a header.
function isDeclared({ name, inBody }: Group, declared: ReadonlySet<string>): boolean {
  return !inBody && declared.has(name);
}

// Some operations have in their body what others have in a header.
function isAlsoElsewhere(group: Group, groups: readonly Group[], total: number, withBody: number): boolean {
  if (!group.inBody || group.described * 2 <= group.operations.size) return false;
  const other = groups.find(({ name, inBody }) => name === group.name && !inBody);
  return (
    other !== undefined && group.operations.size >= withBody * 0.1 && isCredential(other, total, withBody)
  );
}

function groupInputs(operations: readonly (Operation | null)[], declared: ReadonlySet<string>): Group[] {
  const groups = new Map<string, Group>();
  for (const [index, operation] of operations.entries()) {
    if (operation === null) continue;
    for (const input of inputsOf(operation)) {
      if (input.in === 'path') continue;
      const name = plainName(input.key);
      const said = nameSays(input.key, input.in);
      const says = said === 'nothing' && input.in !== 'body' && declared.has(name) ? 'credential' : said;
      if (says === 'nothing' || !isText(input)) continue;
      const inBody = input.in === 'body';
      const place = `${inBody ? 'body' : 'head'} ${name}`;
      let group = groups.get(place);
      if (!group) {
        group = {
          name,
          inBody,
          says,
          spellings: new Map(),
          places: new Map(),
          operations: new Set(),
          required: 0,
          described: 0,
          positions: 0,
          samples: [],
        };
        groups.set(place, group);
      }
      count(group.spellings, input.key);
      count(group.places, input.in);
      if (group.operations.has(index)) continue;
      group.operations.add(index);
      if (input.required) group.required++;
      if (describesCredential(input.description)) group.described++;
      if (describesPosition(input.description)) group.positions++;
      if (group.samples.length < 20) group.samples.push(input);
    }
  }
  return [...groups.values()];
}

// A secret is text; a number or a list with that name is something else.
function isText({ schema }: Input): boolean {
  const type = schema['type'];
  return type === undefined || type === 'string' || (Array.isArray(type) && type.includes('string'));
}

function count<T>(counts: Map<T, number>, key: T): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function most<T>(counts: ReadonlyMap<T, number>): T {
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]![0];
}

function isCredential(group: Group, total: number, withBody: number): boolean {
  const asked = group.operations.size;
  if (group.positions * 2 > asked) return false;
  const place = most(group.places);
  const everywhere = asked === total;
  const described = group.described * 2 > asked;
  if (place === 'body') {
    const share = asked / Math.max(1, withBody);
    // A password in a body is for an account being created, unless nearly every body has one.
    const minOperations = group.says === 'credential' ? 1 : 4;
    return (asked >= minOperations && share >= 0.8) || (described && asked >= 3 && share >= 0.5);
  }
  const share = asked / total;
  if (group.says === 'credential') return true;
  if (described) return place !== 'query' || everywhere || share >= 0.1;
  if (place === 'query')
    return (asked >= 3 && share >= 0.5) || (everywhere && group.required > 0 && !isPassword(group));
  return everywhere || (asked >= 2 && share >= 0.3);
}

function isPassword(group: Group): boolean {
  return wordsOf(most(group.spellings)).some((word) => word.startsWith('pass') || word === 'pwd');
}

/** Whether a companion belongs to a secret: both are in the same place of the same operations. */
function goesWith(companion: Group, secret: Group, total: number): boolean {
  if (most(companion.places) !== most(secret.places)) return false;
  const both = [...companion.operations].filter((index) => secret.operations.has(index)).length;
  const share = companion.operations.size / total;
  return (
    both >= companion.operations.size * 0.75 &&
    both >= secret.operations.size * 0.5 &&
    (share >= 0.2 || companion.operations.size === total)
  );
}

function finish(group: Group): FoundCredential {
  const key = most(group.spellings);
  const place = most(group.places);
  return {
    key,
    in: place,
    isCompanion: group.says === 'companion',
    operations: group.operations,
    required: group.required,
    scheme: schemeFor(key, place, group.samples),
  };
}

function schemeFor(key: string, place: CredentialPlace, samples: readonly Input[]): SimpleScheme {
  if (place === 'header' && /^authori[sz]ation$/i.test(key)) {
    const said = samples
      .map(({ description, schema }) => `${description ?? ''} ${JSON.stringify(schema)}`.slice(0, 1_000))
      .join(' ');
    if (/\bbearer\b/i.test(said)) return { kind: 'bearer' };
    if (/\bbasic\b/i.test(said)) return { kind: 'basic' };
  }
  return { kind: 'api-key', in: place, name: key };
}
