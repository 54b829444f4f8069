import { HandrailError } from './errors.ts';

const slugPattern = /^[a-z0-9-]{1,40}$/;
const toolNamePattern = /^[A-Za-z0-9_-]{1,64}$/;

/** Server slugs that routes or Handrail itself own. */
export const reservedSlugs: readonly string[] = ['tools', 'default'];

/** The longest tool name that every known client accepts. */
export const maxToolNameLength = 64;

/** What a server is called in the files of clients, unless their user says otherwise. */
export function nameInClients(slug: string): string {
  return slug === 'default' ? 'handrail' : `handrail-${slug}`;
}

/** Refuses a slug that cannot stand in a URL path. */
export function checkSlug(slug: string, what: string): void {
  if (!slugPattern.test(slug)) {
    throw new HandrailError(
      'invalid_input',
      `${what} slug ${JSON.stringify(slug.slice(0, 60))} is not valid: use 1 to 40 of a-z, 0-9 and "-".`,
      { problems: [{ path: '/slug', message: 'use 1 to 40 of a-z, 0-9 and "-"' }] },
    );
  }
}

/** Refuses a server slug that is taken by a route or by Handrail. */
export function checkServerSlug(slug: string): void {
  checkSlug(slug, 'Server');
  if (reservedSlugs.includes(slug)) {
    throw new HandrailError('conflict', `The slug "${slug}" is reserved: choose another.`, {
      problems: [{ path: '/slug', message: 'is reserved' }],
    });
  }
}

/** Refuses a tool name that some client would refuse. */
export function checkToolName(name: string): void {
  if (!toolNamePattern.test(name)) {
    throw new HandrailError(
      'invalid_input',
      `Tool name ${JSON.stringify(name.slice(0, 80))} is not valid: use 1 to 64 of A-Z, a-z, 0-9, "_" and "-".`,
      { problems: [{ path: '/name', message: 'use 1 to 64 of A-Z, a-z, 0-9, "_" and "-"' }] },
    );
  }
}

/**
 * Makes `wanted` fit a tool name and differ from every name `isTaken` knows: other characters become
 * `_`, a long name keeps its beginning and ends in a short hash of the whole, so it stays the same next time.
 */
export function fitToolName(wanted: string, isTaken: (name: string) => boolean = () => false): string {
  const clean =
    wanted
      .replace(/[^A-Za-z0-9_-]+/g, '_')
      .replace(/_{2,}/g, '_')
      .replace(/^_|_$/g, '') || 'tool';
  const name =
    clean.length <= maxToolNameLength
      ? clean
      : `${clean.slice(0, maxToolNameLength - 7)}_${shortHash(wanted)}`;
  if (!isTaken(name)) return name;
  for (let n = 2; ; n++) {
    const numbered = `${name.slice(0, maxToolNameLength - 1 - String(n).length)}_${n}`;
    if (!isTaken(numbered)) return numbered;
  }
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
