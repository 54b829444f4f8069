import { createHash } from 'node:crypto';
import type { Server } from '../../domain/server.ts';
import { WeakCache } from '../../lib/weak-cache.ts';

type Icon = NonNullable<Server['icons']>[number];

/** An image stored in a server's settings, as it is served. */
export interface KeptIcon {
  /** Its name below `/icons/`: a hash of its content, so that it can be cached forever and not guessed. */
  readonly file: string;
  readonly mimeType: string;
  readonly bytes: Buffer;
}

const endings: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/x-icon': 'ico',
};

// Settings are replaced as a whole when they change.
const kept = new WeakCache<Icon, KeptIcon | null>();

/** The image in a data URI (RFC 2397); null for any other URI, and for anything that isn't an image. */
export function keptIcon(icon: Icon): KeptIcon | null {
  return kept.of(icon, readDataUri);
}

function readDataUri({ src, mimeType }: Icon): KeptIcon | null {
  if (!/^data:/i.test(src)) return null;
  const comma = src.indexOf(',');
  const [type = '', ...options] = src.slice('data:'.length, Math.max(0, comma)).toLowerCase().split(';');
  const given = type.trim() === '' ? (mimeType ?? '').toLowerCase() : type.trim();
  const ending = Object.hasOwn(endings, given) ? endings[given] : undefined;
  if (comma < 0 || ending === undefined) return null;
  const content = src.slice(comma + 1);
  const isBase64 = options.some((option) => option.trim() === 'base64');
  const bytes = isBase64 ? Buffer.from(content, 'base64') : Buffer.from(unescaped(content));
  const hash = createHash('sha256').update(given).update(bytes).digest('base64url').slice(0, 32);
  return { file: `${hash}.${ending}`, mimeType: given, bytes };
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * A server's icons as clients see them. Icons stored here are listed by their URL below `baseUrl`, because their data
 * would otherwise be in every answer; without a `baseUrl` they are left out.
 */
export function shownIcons(icons: Server['icons'], baseUrl: string | null): Icon[] {
  return (icons ?? []).flatMap((icon) => {
    if (!/^data:/i.test(icon.src)) return [icon];
    const own = baseUrl === null ? null : keptIcon(icon);
    return own === null ? [] : [{ ...icon, src: `${baseUrl}/icons/${own.file}`, mimeType: own.mimeType }];
  });
}
