import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../../support/running-gateway.ts';
import { json, serveHttp } from '../../support/servers/http-server.ts';

// An authorization server that hands out a token for any code; the person in front of it is left out.
let authorization: Awaited<ReturnType<typeof serveHttp>>;
let running: RunningGateway;
let other: RunningGateway;
let credential: string;

beforeAll(async () => {
  authorization = await serveHttp((_request, response) =>
    json(response, 200, { access_token: 'granted', token_type: 'bearer', expires_in: 3600 }),
  );
  running = await startGateway({ egressAllow: '127.0.0.1' });
  // A second process on the same store, as far as the store is concerned.
  other = await startGateway({ egressAllow: '127.0.0.1', dataDir: running.dataDir });
  await running.admin('POST', '/apis', {
    slug: 'mail',
    baseUrl: authorization.origin,
    auth: {
      kind: 'oauth2',
      grant: 'authorization_code',
      authorizationUrl: `${authorization.origin}/authorize`,
      tokenUrl: `${authorization.origin}/token`,
    },
  });
  const { body } = await running.admin('POST', '/credentials', {
    api: 'mail',
    fields: { clientId: 'handrail', clientSecret: 'a-client-secret' },
  });
  credential = body.id;
});
afterAll(async () => {
  await other.stop();
  await running.stop();
  await authorization.close();
});

async function begin(cookie?: string) {
  const { status, body, headers } = await running.admin(
    'POST',
    `/credentials/${credential}/connect`,
    {},
    cookie === undefined ? {} : { cookie },
  );
  expect(status).toBe(200);
  const set = headers.get('set-cookie')!;
  return {
    state: new URL(body.authorizationUrl).searchParams.get('state')!,
    startUrl: body.startUrl as string,
    set,
    cookie: set.split(';', 1)[0]!,
  };
}

function comeBack(at: RunningGateway, state: string, cookie?: string) {
  return fetch(`${at.url}/oauth/callback?code=a-code&state=${encodeURIComponent(state)}`, {
    headers: cookie === undefined ? {} : { cookie },
  });
}

describe('connecting an API in a browser', () => {
  it('ends only in the browser that began it, and once, whichever process is asked', async () => {
    const { state, cookie, set } = await begin();
    expect(set).toMatch(/; HttpOnly; SameSite=Lax; Max-Age=600$/);
    const strangers = [undefined, (await begin()).cookie, 'handrail-connect=guessed', `${cookie}x`];
    for (const stranger of strangers) expect((await comeBack(running, state, stranger)).status).toBe(400);
    const answer = await comeBack(running, state, cookie);
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('is connected')]);
    expect((await comeBack(running, state, cookie)).status).toBe(400);
    expect((await comeBack(other, state, cookie)).status).toBe(400);
  });

  it('lets one of two processes that are asked at once take the answer', async () => {
    const { state, cookie } = await begin();
    const answers = await Promise.all(
      [running, other, running, other].map((at) => comeBack(at, state, cookie)),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400, 400]);
  });

  it('knows a browser again that begins a second time', async () => {
    const first = await begin();
    const second = await begin(first.cookie);
    expect(second.cookie).toBe(first.cookie);
    expect((await comeBack(running, first.state, first.cookie)).status).toBe(200);
    expect((await comeBack(running, second.state, first.cookie)).status).toBe(200);
  });

  it('can be begun for another browser, the first that opens the address', async () => {
    const { startUrl, state } = await begin();
    const looked = await fetch(startUrl, { method: 'HEAD', redirect: 'manual' });
    expect([looked.status, looked.headers.get('set-cookie')]).toEqual([200, null]);
    const started = await fetch(startUrl, { redirect: 'manual' });
    expect(started.status).toBe(302);
    expect(started.headers.get('location')).toContain(encodeURIComponent(state));
    expect((await fetch(startUrl, { redirect: 'manual' })).status).toBe(400);
    const cookie = started.headers.get('set-cookie')!.split(';', 1)[0]!;
    expect((await comeBack(running, state, cookie)).status).toBe(200);
  });

  it.each(['', 'x', 'v1.a.b.c'])('refuses the ticket %j with a sentence', async (ticket) => {
    const answer = await fetch(`${running.url}/oauth/start?ticket=${ticket}`, { redirect: 'manual' });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('start over')]);
  });
});
