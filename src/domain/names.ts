import { text } from '../lib/schema/schema.ts';

/** A name that can be used in the path of a URL. */
export const slugText = text({
  min: 1,
  max: 40,
  pattern: /^[a-z0-9-]+$/,
  wants: 'must be 1 to 40 of a-z, 0-9 and "-"',
});

/** Names of Handrail's own tools, which no other tool can have. */
export const builtInToolNames = [
  'search_tools',
  'describe_tools',
  'call_read',
  'call_write',
  'call_destructive',
  'read_reply',
  'run_code',
  'request_upload',
] as const;

export type BuiltInToolName = (typeof builtInToolNames)[number];

/** Whether a name belongs to one of Handrail's own tools. */
export function isBuiltInToolName(name: string): name is BuiltInToolName {
  return (builtInToolNames as readonly string[]).includes(name);
}

/** The maximum length of a tool name that every known client accepts. */
export const maxToolNameLength = 64;

/** A tool name that every known client accepts. */
export const toolNameText = text({
  min: 1,
  max: maxToolNameLength,
  pattern: /^[A-Za-z0-9_-]+$/,
  wants: 'must be 1 to 64 of A-Z, a-z, 0-9, "_" and "-"',
});

/** A tag for grouping tools. */
export const tagText = text({ min: 1, max: 200 });

/** Server slugs that are reserved for routes or for Handrail itself. */
export const reservedSlugs: readonly string[] = ['tools', 'default'];

/** The default name of a server in client configurations. */
export function nameInClients(slug: string): string {
  return slug === 'default' ? 'handrail' : `handrail-${slug}`;
}

/**
 * Converts `wanted` to a valid tool name that is not taken: other characters become `_`, and a long name loses its least
 * informative words, deterministically, so that it stays the same next time. Names of Handrail's own tools count as taken.
 */
export function fitToolName(wanted: string, isTaken: (name: string) => boolean = () => false): string {
  const isFree = (name: string) => !isBuiltInToolName(name) && !isTaken(name);
  const clean = plainToolName(wanted);
  const name =
    clean.length <= maxToolNameLength
      ? clean
      : (shortenName(clean, maxToolNameLength) ?? hashedToolName(wanted));
  if (isFree(name)) return name;
  for (let n = 2; ; n++) {
    const numbered = `${name.slice(0, maxToolNameLength - 1 - String(n).length)}_${n}`;
    if (isFree(numbered)) return numbered;
  }
}

/** How long names were shortened in the past: their beginning and a short hash. Existing tools keep such names. */
export function hashedToolName(wanted: string): string {
  const clean = plainToolName(wanted);
  return clean.length <= maxToolNameLength
    ? clean
    : `${clean.slice(0, maxToolNameLength - 7)}_${shortHash(wanted)}`;
}

function plainToolName(wanted: string): string {
  return (
    wanted
      .replace(/[^A-Za-z0-9_-]+/g, '_')
      .replace(/_{2,}/g, '_')
      .replace(/^_|_$/g, '') || 'tool'
  );
}

// FNV-1a, six base-36 digits: only to distinguish shortened names, not for security.
function shortHash(hashed: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < hashed.length; i++) {
    hash ^= hashed.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  return (hash >>> 0).toString(36).padStart(6, '0').slice(-6);
}

const joiningWords = new Set(
  'a an and api at by for from in into of on or rest the to under using via with'.split(' '),
);

/**
 * Removes the least informative words from a name (`get_users_by_id`, `getUsersById`) until it has at most `maxLength`
 * characters; its beginning and end stay. Null if that is not possible.
 */
export function shortenName(name: string, maxLength: number): string | null {
  // Each word with its separator, so that `_`, `-` and capitals are preserved.
  let words: string[] = name.match(/[_-]*(?:[vV]\d+|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[_-])/g) ?? [];
  const plain = (word: string): string => word.replace(/^[_-]+/, '').toLowerCase();
  const fits = (): boolean => words.join('').length <= maxLength;
  const drop = (isNeedless: (word: string, i: number) => boolean): void => {
    words = words.filter((word, i) => i === 0 || i === words.length - 1 || !isNeedless(plain(word), i));
  };
  drop((word) => joiningWords.has(word) || /^v\d*$/.test(word));
  if (!fits()) drop((word, i) => isLike(word, plain(words[i - 1]!)));
  while (!fits() && words.length > 2) words.splice(Math.floor(words.length / 2), 1);
  return fits() ? words.join('').replace(/^[_-]+/, '') : null;
}

// `organizations` before `organization`.
function isLike(word: string, before: string): boolean {
  return word.length > 3 && (before.startsWith(word) || word.startsWith(before.replace(/s$/, '')));
}
