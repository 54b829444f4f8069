import type { HandrailError } from '../../domain/errors.ts';
import { isObject, type PlainObject } from '../../lib/json/plain-object.ts';
import { trimEndOf } from '../../lib/text/tidy-text.ts';
import type { FetchGuarded } from '../../upstream/fetch-guarded.ts';

/** Fetches an issuer's metadata (RFC 8414 section 3.1, OpenID Connect Discovery section 4); rejects with an error from `toError`. */
export async function fetchIssuerMetadata(
  fetch: FetchGuarded,
  issuer: string,
  toError: (issuer: string, why: string) => HandrailError,
): Promise<PlainObject> {
  const url = new URL(issuer);
  const path = url.pathname === '/' ? '' : trimEndOf(url.pathname, '/');
  const places = [
    `${url.origin}/.well-known/oauth-authorization-server${path}`,
    `${url.origin}${path}/.well-known/openid-configuration`,
  ];
  for (const place of places) {
    const metadata = await fetchIssuerJson(fetch, place);
    if (metadata === null) continue;
    if (metadata['issuer'] !== issuer) throw toError(issuer, 'its metadata names another issuer');
    return metadata;
  }
  throw toError(issuer, 'it has no metadata at /.well-known/oauth-authorization-server');
}

/** Fetches a JSON object from an issuer; null if there is none at this URL. */
export async function fetchIssuerJson(fetch: FetchGuarded, url: string): Promise<PlainObject | null> {
  const reply = await fetch({
    url,
    headers: { accept: 'application/json' },
    timeoutMs: 10_000,
    maxReplyBytes: 1024 * 1024,
  });
  return reply.status === 200 ? jsonObject(reply.body) : null;
}

/** Parses bytes as a JSON object; null if they are anything else. */
export function jsonObject(bytes: Uint8Array): PlainObject | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString());
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
