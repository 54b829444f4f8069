import { withFewerWords } from '../lib/text/fewer-words.ts';
import { text } from '../lib/schema/schema.ts';

/** A name that can stand in the path of a URL. */
export const slugText = text({
  min: 1,
  max: 40,
  pattern: /^[a-z0-9-]+$/,
  wants: 'must be 1 to 40 of a-z, 0-9 and "-"',
});

/** Names of Handrail's own tools, which no other tool of any server can have. */
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

/** The longest tool name that every known client accepts. */
export const maxToolNameLength = 64;

/** A tool's name as every known client accepts it. */
export const toolNameText = text({
  min: 1,
  max: maxToolNameLength,
  pattern: /^[A-Za-z0-9_-]+$/,
  wants: 'must be 1 to 64 of A-Z, a-z, 0-9, "_" and "-"',
});

/** A word by which tools are grouped. */
export const tagText = text({ min: 1, max: 200 });

/** Server slugs that routes or Handrail itself own. */
export const reservedSlugs: readonly string[] = ['tools', 'default'];

/** What a server is called in the files of clients, unless their user says otherwise. */
export function nameInClients(slug: string): string {
  return slug === 'default' ? 'handrail' : `handrail-${slug}`;
}

/**
 * Makes `wanted` fit a tool name and differ from every name `isTaken` knows: other characters become `_`, and a long
 * name loses its least telling words, always the same, so that it stays the same next time. Names of Handrail's own tools
 * are taken.
 */
export function fitToolName(wanted: string, isTaken: (name: string) => boolean = () => false): string {
  const isFree = (name: string) => !isBuiltInToolName(name) && !isTaken(name);
  const clean = plainToolName(wanted);
  const name =
    clean.length <= maxToolNameLength
      ? clean
      : (withFewerWords(clean, maxToolNameLength) ?? hashedToolName(wanted));
  if (isFree(name)) return name;
  for (let n = 2; ; n++) {
    const numbered = `${name.slice(0, maxToolNameLength - 1 - String(n).length)}_${n}`;
    if (isFree(numbered)) return numbered;
  }
}

/** How long names were made to fit before: their beginning and a short hash of the whole. Tools keep such names. */
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

// FNV-1a, six base-36 digits: only to tell shortened names apart, not for secrecy.
function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash ^= text.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  return (hash >>> 0).toString(36).padStart(6, '0').slice(-6);
}
