import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bodyOf, json, serveHttp } from '../../support/servers/http-server.ts';
import { type RunningGateway, startGateway } from '../../support/running-gateway.ts';

describe('a secret that is tried before it is stored', () => {
  let running: RunningGateway;
  let upstream: Awaited<ReturnType<typeof serveHttp>>;
  let logins = 0;

  beforeAll(async () => {
    upstream = await serveHttp(async (request, response) => {
      if (request.url === '/login') {
        logins += 1;
        const { password } = JSON.parse(await bodyOf(request)) as { password: string };
        return password === 'open sesame'
          ? json(response, 200, { token: 'a-token' })
          : json(response, 401, {});
      }
      const known = ['Bearer the-right-one', 'Bearer a-token'].includes(request.headers.authorization ?? '');
      json(response, known ? 200 : 401, {});
    });
    running = await startGateway({ egressAllow: new URL(upstream.origin).host });
    const { origin } = upstream;
    await running.admin('POST', '/apis', { slug: 'plain', baseUrl: origin, auth: { kind: 'bearer' } });
    await running.admin('POST', '/apis', {
      slug: 'signing-in',
      baseUrl: origin,
      auth: {
        kind: 'login',
        method: 'POST',
        url: `${origin}/login`,
        payloadIn: 'json',
        payloadFields: ['password'],
        tokenPath: 'token',
        place: { in: 'header', name: 'Authorization', prefix: 'Bearer ' },
      },
    });
    await running.admin('POST', '/apis', {
      slug: 'inside',
      baseUrl: 'http://10.0.0.1',
      auth: { kind: 'bearer' },
    });
    await running.admin('POST', '/apis', {
      slug: 'renewed',
      baseUrl: origin,
      auth: { kind: 'oauth2', grant: 'refresh_token', tokenUrl: `${origin}/token` },
    });
  });
  afterAll(async () => {
    await running.stop();
    await upstream.close();
  });

  const tried = async (body: object) => (await running.admin('POST', '/credentials/test', body)).body;

  test('is said to work or not, and is stored neither way', async () => {
    expect(await tried({ api: 'plain', secret: 'the-right-one' })).toMatchObject({ ok: true, status: 200 });
    expect(await tried({ api: 'plain', secret: 'a-wrong-one' })).toMatchObject({ ok: false, status: 401 });
    expect((await running.admin('GET', '/credentials')).body.items).toEqual([]);
    expect((await running.admin('GET', '/apis/plain')).body.hasCredential).toBe(false);
  });

  test('leaves the credential that is in use as it is', async () => {
    await running.admin('POST', '/credentials', { api: 'plain', secret: 'the-right-one' });
    const [before] = (await running.admin('GET', '/credentials')).body.items;
    expect(await tried({ api: 'plain', secret: 'a-wrong-one' })).toMatchObject({ ok: false });
    expect((await running.admin('GET', '/credentials')).body.items).toEqual([before]);
    expect((await running.admin('POST', `/credentials/${before.id}/test`, {})).body.ok).toBe(true);
  });

  test('signs in anew each time, so that a corrected password is really tried', async () => {
    expect(await tried({ api: 'signing-in', fields: { password: 'wrong' } })).toMatchObject({ ok: false });
    expect(await tried({ api: 'signing-in', fields: { password: 'open sesame' } })).toMatchObject({
      ok: true,
    });
    expect(logins).toBe(2);
  });

  test('goes nowhere that calls may not go', async () => {
    const answer = await tried({ api: 'inside', secret: 'x' });
    expect(answer.ok).toBe(false);
    expect(answer.message).toContain('10.0.0.1');
  });

  test('does not use up a refresh token', async () => {
    const fields = { clientId: 'c', clientSecret: 's', refreshToken: 'once' };
    expect(await tried({ api: 'renewed', fields })).toMatchObject({ ok: null });
  });

  test('must have the fields the API wants', async () => {
    const answer = await running.admin('POST', '/credentials/test', { api: 'plain', fields: {} });
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toContain('token');
  });
});
