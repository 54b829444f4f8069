import type { HandrailError } from '../../domain/errors.ts';
import { isObject, type PlainObject } from '../../lib/json/plain-object.ts';
import { trimEndOf } from '../../lib/text/tidy-text.ts';
import type { FetchGuarded } from '../../upstream/fetch-guarded.ts';

/** What an issuer says about itself (RFC 8414 section 3.1, OpenID Connect Discovery section 4); rejects with what `refuse` makes of why it cannot be known. */
export async function fetchIssuerMetadata(
  fetch: FetchGuarded,
  issuer: string,
  refuse: (issuer: string, why: string) => HandrailError,
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
    if (metadata['issuer'] !== issuer) throw refuse(issuer, 'its metadata names another issuer');
    return metadata;
  }
  throw refuse(issuer, 'it has no metadata at /.well-known/oauth-authorization-server');
}

/** An object that an issuer publishes; null when there is none at that address. */
export async function fetchIssuerJson(fetch: FetchGuarded, url: string): Promise<PlainObject | null> {
  const reply = await fetch({
    url,
    headers: { accept: 'application/json' },
    timeoutMs: 10_000,
    maxReplyBytes: 1024 * 1024,
  });
  return reply.status === 200 ? jsonObject(reply.body) : null;
}

/** The object that bytes hold; null when they hold anything else. */
export function jsonObject(bytes: Uint8Array): PlainObject | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString());
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
