import { describe, expect, it } from 'vitest';
import { createEgressGuard } from '../upstream/connections/egress.ts';
import { createFetchGuarded, type OutboundRequest } from '../upstream/fetch-guarded.ts';
import { createClientFetch } from './client-fetch.ts';

const url = 'https://app.example.com/client.json';

function fetchOf(document: unknown, { status = 200, headers = {} } = {}) {
  const requests: OutboundRequest[] = [];
  const fetch = createClientFetch(async (request) => {
    requests.push(request);
    const body = Buffer.from(typeof document === 'string' ? document : JSON.stringify(document));
    return { status, headers, body, url: request.url };
  }, Date.now);
  return { fetch, requests };
}

describe('a client metadata document', () => {
  it('is fetched within 32 KB and 5 s, without following redirects', async () => {
    const { fetch, requests } = fetchOf({ client_id: url });
    await fetch(url);
    expect(requests).toEqual([
      expect.objectContaining({ url, maxReplyBytes: 32 * 1024, timeoutMs: 5_000, firstByteTimeoutMs: 5_000 }),
    ]);
    expect(requests[0]?.maxRedirects).toBeUndefined();
  });

  it('is reduced to what matters, as a public client with any loopback port', async () => {
    const { fetch } = fetchOf({
      client_id: url,
      client_name: 'An app',
      redirect_uris: ['http://127.0.0.1/callback'],
      scope: 'everything',
      token_endpoint_auth_method: 'tls_client_auth',
      jwks_uri: 'https://app.example.com/keys',
      sector_identifier_uri: 'https://app.example.com/sectors',
      logo_uri: 'https://app.example.com/logo.png',
    });
    expect(await (await fetch(url)).json()).toEqual({
      application_type: 'native',
      client_id: url,
      client_name: 'An app',
      redirect_uris: ['http://127.0.0.1/callback'],
      token_endpoint_auth_method: 'none',
    });
  });

  it('may name published keys, but no secret, which the library then refuses', async () => {
    const keys = { jwks_uri: 'https://app.example.com/keys' };
    const asymmetric = fetchOf({ client_id: url, token_endpoint_auth_method: 'private_key_jwt', ...keys });
    expect(await (await asymmetric.fetch(url)).json()).toMatchObject(keys);
    const shared = fetchOf({ client_id: url, token_endpoint_auth_method: 'client_secret_basic' });
    expect(await (await shared.fetch(url)).json()).toMatchObject({
      token_endpoint_auth_method: 'client_secret_basic',
    });
  });

  it.each([302, 404, 500])('with status %i is passed on as it is, to be refused', async (status) => {
    const { fetch } = fetchOf('elsewhere', { status, headers: { location: 'https://evil.example/' } });
    const answer = await fetch(url);
    expect([answer.status, await answer.text()]).toEqual([status, 'elsewhere']);
  });

  it('is not asked for again for a moment after it could not be fetched', async () => {
    let nowMs = 0;
    let requests = 0;
    const fetch = createClientFetch(
      () => {
        requests++;
        return Promise.reject(new Error('too slow'));
      },
      () => nowMs,
    );
    await expect(fetch(url)).rejects.toThrow('too slow');
    await expect(fetch(url)).rejects.toThrow('too slow');
    expect(requests).toBe(1);
    nowMs += 10_000;
    await expect(fetch(url)).rejects.toThrow('too slow');
    expect(requests).toBe(2);
  });

  it('is never fetched over http', async () => {
    const { fetch, requests } = fetchOf({});
    await expect(fetch('http://app.example.com/client.json')).rejects.toThrow('https');
    expect(requests).toEqual([]);
  });

  it.each([
    'https://127.0.0.1/client.json',
    'https://[::1]/client.json',
    'https://10.0.0.1/client.json',
    'https://169.254.169.254/latest/meta-data',
    'https://localhost/client.json',
    'https://2130706433/client.json',
  ])('is never fetched from a private network: %s', async (address) => {
    const outbound = createFetchGuarded({ guard: createEgressGuard({ allow: [] }), now: Date.now });
    await expect(createClientFetch(outbound.fetch, Date.now)(address)).rejects.toMatchObject({
      code: 'egress_refused',
    });
    await outbound.close();
  });
});
