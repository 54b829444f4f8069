import { isObject } from '../lib/json/plain-object.ts';
import { jsonObject } from '../access/tokens/issuer-metadata.ts';
import type { FetchGuarded, OutboundReply } from '../upstream/fetch-guarded.ts';
import { redirectFault } from './register-client.ts';

const maxBytes = 32 * 1024;
const timeoutMs = 5_000;
/** How long an address that didn't answer isn't asked again. */
const failedMs = 10_000;
const maxFailed = 100;

// The fields of a client metadata document that matter here. Others could only make a document unacceptable.
const kept = [
  'client_id',
  'client_name',
  'client_uri',
  'redirect_uris',
  'grant_types',
  'response_types',
  'token_endpoint_auth_method',
  'token_endpoint_auth_signing_alg',
  'jwks_uri',
  'jwks',
] as const;

/**
 * Fetches what a client names: its metadata document, its keys. Anyone can name any address, so only public ones are
 * fetched, over https, without following redirects, within 5 s and 32 KB.
 */
export function createClientFetch(
  fetch: FetchGuarded,
  now: () => number,
): (url: string | URL) => Promise<Response> {
  // The library asks twice when it was refused, and a stranger must not make us wait twice.
  const failed = new Map<string, { readonly error: unknown; readonly untilMs: number }>();

  async function get(url: string): Promise<OutboundReply> {
    const before = failed.get(url);
    if (before !== undefined && before.untilMs > now()) throw before.error;
    failed.delete(url);
    try {
      return await fetch({
        url,
        headers: { accept: 'application/json' },
        maxReplyBytes: maxBytes,
        timeoutMs,
        firstByteTimeoutMs: timeoutMs,
      });
    } catch (error) {
      if (failed.size >= maxFailed) failed.clear();
      failed.set(url, { error, untilMs: now() + failedMs });
      throw error;
    }
  }

  return async (address) => {
    const url = new URL(address);
    if (url.protocol !== 'https:') throw new TypeError('only https addresses are fetched');
    const reply = await get(url.href);
    const document = jsonObject(reply.body);
    const isDocument = document !== null && document['client_id'] === String(address);
    const body = isDocument ? Buffer.from(JSON.stringify(readClientDocument(document))) : reply.body;
    const cacheControl = reply.headers['cache-control'];
    return new Response(new Uint8Array(body), {
      status: reply.status >= 200 && reply.status < 600 ? reply.status : 502,
      headers: typeof cacheControl === 'string' ? { 'cache-control': cacheControl } : {},
    });
  };
}

/** What we take from a client metadata document, as a client that may use refresh tokens and any loopback port. */
function readClientDocument(document: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const client: Record<string, unknown> = { application_type: 'native' };
  for (const name of kept) if (document[name] !== undefined) client[name] = document[name];
  const method = client['token_endpoint_auth_method'];
  if (method !== 'private_key_jwt') {
    // The library refuses secrets, which a public document can't keep; any other method means none.
    if (typeof method !== 'string' || !method.startsWith('client_secret'))
      client['token_endpoint_auth_method'] = 'none';
    delete client['jwks'];
    delete client['jwks_uri'];
  }
  const uris = client['redirect_uris'];
  const fault = Array.isArray(uris) ? uris.map(redirectFault).find((each) => each !== null) : undefined;
  if (fault !== undefined) throw new TypeError(fault);
  const jwks = client['jwks'];
  if (jwks !== undefined && !isObject(jwks)) delete client['jwks'];
  return client;
}
