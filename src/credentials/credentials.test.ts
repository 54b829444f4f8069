import { createHmac, createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import type { AuthScheme, HmacScheme, LoginScheme } from '../domain/auth-scheme.ts';
import { anonymous, apiAt, callingStack, callOf, textOf, toolOf } from '../../test/support/calling.ts';
import { bodyOf, json, serveHttp } from '../../test/support/servers/http-server.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

async function serve(listener: Parameters<typeof serveHttp>[0]) {
  const server = await serveHttp(listener);
  closers.push(server.close);
  return server;
}

function stack(options?: Parameters<typeof callingStack>[0]) {
  const made = callingStack(options);
  closers.push(made.close);
  return made;
}

/** An upstream that remembers what it was sent last. */
async function echo() {
  let last: Echo | null = null;
  const server = await serve(async (request, response) => {
    last = {
      url: request.url!,
      headers: request.headers as Record<string, string>,
      body: await bodyOf(request),
    };
    json(response, 200, {});
  });
  return { server, origin: server.origin, last: () => last! };
}

interface Echo {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

async function sentWith(
  auth: AuthScheme,
  fields: Record<string, string>,
  operation: Parameters<typeof toolOf>[1] = {},
  args: object = {},
): Promise<Echo> {
  const upstream = await echo();
  const { store, run } = stack();
  const api = apiAt(upstream.origin, auth);
  store(api, fields);
  textOf(await run(callOf(toolOf(api, operation), { arguments: args })));
  return upstream.last();
}

const note = {
  method: 'POST',
  path: '/n',
  parameters: [{ name: 'text', in: 'body', schema: { type: 'string' }, required: true }],
} as const;

describe('credentials that are sent as they are', () => {
  it('puts an API key into a header, the query, a cookie or a body field', async () => {
    const fields = { value: 'k&y =1' };
    expect(
      (await sentWith({ kind: 'api-key', in: 'header', name: 'X-Key', prefix: 'Key ' }, fields)).headers[
        'x-key'
      ],
    ).toBe('Key k&y =1');
    expect((await sentWith({ kind: 'api-key', in: 'query', name: 'key' }, fields)).url).toBe(
      '/?key=k%26y%20%3D1',
    );
    expect((await sentWith({ kind: 'api-key', in: 'cookie', name: 'sid' }, fields)).headers['cookie']).toBe(
      'sid=k%26y%20%3D1',
    );
    const inBody = await sentWith({ kind: 'api-key', in: 'body', name: 'key' }, fields, note, { text: 'hi' });
    expect(JSON.parse(inBody.body)).toEqual({ text: 'hi', key: 'k&y =1' });
  });

  it('puts a body field into a body that a template wrote', async () => {
    const template = {
      ...note,
      body: {
        mediaType: 'application/json',
        shape: 'template',
        template: '{"id": 12345678901234567890, "t": {{text}}}',
      },
    } as const;
    const sent = await sentWith({ kind: 'api-key', in: 'body', name: 'key' }, { value: 's3cret' }, template, {
      text: 'hi',
    });
    expect(sent.body).toContain('12345678901234567890');
    expect(JSON.parse(sent.body)).toMatchObject({ key: 's3cret' });
  });

  it('sends bearer, basic and any headers, and several at once', async () => {
    expect((await sentWith({ kind: 'bearer' }, { token: 't0k' })).headers['authorization']).toBe(
      'Bearer t0k',
    );
    const basic = await sentWith({ kind: 'basic' }, { username: 'ann', password: 'pä:ss' });
    expect(Buffer.from(basic.headers['authorization']!.slice(6), 'base64').toString()).toBe('ann:pä:ss');
    const all: AuthScheme = {
      kind: 'all',
      schemes: [
        { kind: 'headers', names: ['X-One', 'X-Two'] },
        { kind: 'api-key', in: 'query', name: 'q' },
      ],
    };
    const sent = await sentWith(all, { '0.X-One': 'a', '0.X-Two': 'b', '1.value': 'c' });
    expect(sent).toMatchObject({ url: '/?q=c', headers: { 'x-one': 'a', 'x-two': 'b' } });
  });

  it('says what is missing when no credential is stored, and calls anyway when the operation needs none', async () => {
    const upstream = await echo();
    const { run } = stack();
    const api = apiAt(upstream.origin, { kind: 'bearer' });
    expect(await run(callOf(toolOf(api)))).toMatchObject({
      kind: 'failed',
      error: { code: 'credential_missing', message: expect.stringContaining('handrail credentials set one') },
    });
    expect(await run(callOf(toolOf(api, { security: [] })))).toMatchObject({ kind: 'done' });
  });

  it('sends a secret only to origins it was entered for', async () => {
    const [upstream, elsewhere] = [await echo(), await echo()];
    const { store, run } = stack();
    const api = apiAt(upstream.origin, { kind: 'bearer' });
    store(api, { token: 'canary' });
    const outcome = await run(callOf(toolOf(api, { baseUrl: elsewhere.origin })));
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'credential_missing' } });
    expect(elsewhere.server.seen).toBe(0);
  });
});

describe('per-caller credentials', () => {
  const ann = { id: 'key:ann', kind: 'key', label: 'ann' } as const;

  it("prefers the caller's own and falls back to the shared one only where the API allows it", async () => {
    const upstream = await echo();
    const { store, run } = stack();
    const api = apiAt(upstream.origin, { kind: 'bearer' });
    store(api, { token: 'shared' });
    store(api, { token: 'anns' }, ann.id);
    const sent = async (caller: typeof ann | typeof anonymous, of = api) => {
      textOf(await run(callOf(toolOf(of), { caller })));
      return upstream.last().headers['authorization'];
    };
    expect(await sent(ann)).toBe('Bearer anns');
    expect(await sent(anonymous)).toBe('Bearer shared');
    const own = { ...api, sharedCredential: false };
    expect(await sent(ann, own)).toBe('Bearer anns');
    await expect(sent(anonymous, own)).rejects.toMatchObject({
      code: 'credential_missing',
      message: expect.stringContaining(`--caller "${anonymous.id}"`),
    });
  });

  it('forwards the named client headers, but never what let the caller in', async () => {
    const upstream = await echo();
    const { run } = stack();
    const api = apiAt(
      upstream.origin,
      { kind: 'none' },
      { forwardHeaders: ['X-User', 'Authorization', 'Host', 'X-Absent'] },
    );
    const clientHeaders = {
      'x-user': 'u1',
      authorization: 'Bearer gateway-token',
      host: 'evil',
      'x-other': 'no',
    };
    const sent = async (caller: typeof ann | typeof anonymous) => {
      textOf(await run(callOf(toolOf(api), { caller, clientHeaders })));
      return upstream.last().headers;
    };
    const known = await sent(ann);
    expect(known['x-user']).toBe('u1');
    expect(known['authorization']).toBeUndefined();
    expect(known['x-other']).toBeUndefined();
    expect(known['host']).not.toBe('evil');
    expect((await sent(anonymous))['authorization']).toBeUndefined();
  });
});

describe('login tokens', () => {
  const scheme = (origin: string, rest: Partial<LoginScheme> = {}): LoginScheme => ({
    kind: 'login',
    method: 'POST',
    url: `${origin}/login`,
    payloadIn: 'json',
    payloadFields: ['user', 'password'],
    tokenPath: 'session.token',
    place: { in: 'header', name: 'Authorization', prefix: 'Bearer ' },
    ...rest,
  });
  const fields = { user: 'ann', password: 'correct horse' };

  /** A login API whose tokens are good until `revoke`. */
  async function loginApi(reply: (token: string) => unknown = (token) => ({ session: { token } })) {
    let logins = 0;
    const good = new Set<string>();
    const seen: { method?: string; url?: string; headers: IncomingMessage['headers']; body: string }[] = [];
    const server = await serve(async (request, response) => {
      if (request.url!.startsWith('/login')) {
        const body = await bodyOf(request);
        seen.push({ method: request.method, url: request.url, headers: request.headers, body });
        logins++;
        const token = `token-${logins}`;
        good.add(`Bearer ${token}`);
        const answer = reply(token);
        if (typeof answer === 'string') response.end(answer);
        else json(response, 200, answer);
        return;
      }
      await bodyOf(request);
      json(response, good.has(request.headers.authorization ?? '') ? 200 : 401, {});
    });
    return { server, seen, logins: () => logins, revoke: () => good.clear() };
  }

  it.each(['json', 'form', 'query', 'headers'] as const)('sends its payload as %s', async (payloadIn) => {
    const upstream = await loginApi();
    const { store, run } = stack();
    const api = apiAt(upstream.server.origin, scheme(upstream.server.origin, { payloadIn }));
    store(api, fields);
    expect(await run(callOf(toolOf(api, { path: '/data' })))).toMatchObject({ kind: 'done' });
    const { url, headers, body } = upstream.seen[0]!;
    const found = {
      json: () => JSON.parse(body) as unknown,
      form: () => Object.fromEntries(new URLSearchParams(body)),
      query: () => Object.fromEntries(new URL(url!, 'http://x').searchParams),
      headers: () => ({ user: headers['user'], password: headers['password'] }),
    }[payloadIn]();
    expect(found).toEqual(fields);
  });

  it('takes the token raw when no path is given', async () => {
    const upstream = await loginApi((token) => ` ${token}\n`);
    const { store, run } = stack();
    const { tokenPath: _none, ...raw } = scheme(upstream.server.origin);
    const api = apiAt(upstream.server.origin, raw);
    store(api, fields);
    expect(await run(callOf(toolOf(api, { path: '/data' })))).toMatchObject({ kind: 'done' });
  });

  it('signs in once for all who wait, and again when the token was revoked', async () => {
    const upstream = await loginApi();
    const { store, run } = stack();
    const api = apiAt(upstream.server.origin, scheme(upstream.server.origin));
    store(api, fields);
    const tool = toolOf(api, { path: '/data' });
    const calls = () => Promise.all(Array.from({ length: 50 }, () => run(callOf(tool))));
    expect((await calls()).every(({ kind }) => kind === 'done')).toBe(true);
    expect(upstream.logins()).toBe(1);
    upstream.revoke();
    expect((await calls()).every(({ kind }) => kind === 'done')).toBe(true);
    expect(upstream.logins()).toBe(2);
  });

  // On a thread of its own: a server that shares our event loop is too slow to accept 200 connections while it is
  // busy. A lifetime is counted in requests, so that a busy machine cannot make a token run out on its way.
  const loginApiThread = `
    const { parentPort } = require('node:worker_threads');
    const left = new Map();
    let logins = 0;
    const server = require('node:http').createServer((request, response) => {
      request.resume();
      response.setHeader('content-type', 'application/json');
      if (request.url === '/logins') return response.end(String(logins));
      if (request.url === '/login') {
        left.set('Bearer token-' + ++logins, 1000);
        return response.end(JSON.stringify({ session: { token: 'token-' + logins } }));
      }
      const uses = left.get(request.headers.authorization) ?? 0;
      left.set(request.headers.authorization, uses - 1);
      response.statusCode = uses > 0 ? 200 : 401;
      response.end('{}');
    });
    server.keepAliveTimeout = 0;
    server.listen(0, '127.0.0.1', () => parentPort.postMessage('http://127.0.0.1:' + server.address().port));
  `;

  it('renews short-lived tokens under 200 concurrent calls: no call fails, one login for each lifetime', async () => {
    const thread = new Worker(loginApiThread, { eval: true });
    closers.push(async () => void (await thread.terminate()));
    const origin = await new Promise<string>((resolve) => thread.once('message', resolve));
    const { store, run, fetch } = stack();
    const api = apiAt(origin, scheme(origin));
    store(api, fields);
    const tool = toolOf(api, { path: '/data' });
    const failures: unknown[] = [];
    let calls = 0;
    await Promise.all(
      Array.from({ length: 200 }, async () => {
        while (calls < 5_000) {
          calls++;
          const outcome = await run(callOf(tool));
          if (outcome.kind === 'failed') failures.push(outcome.error.message);
        }
      }),
    );
    expect(failures).toEqual([]);
    const logins = Number((await fetch({ url: `${origin}/logins` })).body);
    expect(logins).toBeGreaterThanOrEqual(5);
    expect(logins).toBeLessThanOrEqual(Math.ceil(calls / 1_000) + 2);
  });

  it('does not send a POST again after a refused token, but renews it and says so', async () => {
    const upstream = await loginApi();
    const { store, run } = stack();
    const api = apiAt(upstream.server.origin, scheme(upstream.server.origin));
    store(api, fields);
    const post = toolOf(api, { method: 'POST', path: '/data' });
    await run(callOf(post));
    upstream.revoke();
    const before = upstream.server.seen;
    expect(await run(callOf(post))).toMatchObject({
      kind: 'failed',
      error: { message: expect.stringContaining('call again') },
    });
    expect(upstream.server.seen).toBe(before + 1);
    expect(await run(callOf(post))).toMatchObject({ kind: 'done' });
  });

  it('takes a keyword in the reply for a refusal', async () => {
    let logins = 0;
    const server = await serve((request, response) => {
      if (request.url === '/login') json(response, 200, { session: { token: `t${++logins}` } });
      else
        json(response, 200, {
          status: request.headers.authorization === 'Bearer t2' ? 'fine' : 'SESSION EXPIRED',
        });
    });
    const { store, run } = stack();
    const api = apiAt(server.origin, scheme(server.origin, { invalidationKeywords: ['session expired'] }));
    store(api, fields);
    expect(textOf(await run(callOf(toolOf(api))))).toBe('{"status":"fine"}');
    expect(logins).toBe(2);
  });

  it('says in HandsAI’s words why a login failed, and does not ask again at once', async () => {
    const server = await serve((_request, response) => json(response, 401, {}));
    const { store, run } = stack({ now: () => 1_000_000 });
    const api = apiAt(server.origin, scheme(server.origin));
    store(api, fields);
    for (let i = 0; i < 3; i++) {
      expect(await run(callOf(toolOf(api)))).toMatchObject({
        kind: 'failed',
        error: { code: 'login_failed', message: 'Failed to fetch dynamic auth token: 401 Unauthorized' },
      });
    }
    expect(server.seen).toBe(1);
  });

  it('fails a call, and nothing else, when one of two logins is refused and the other one breaks', async () => {
    const floating: unknown[] = [];
    const noteFloating = (reason: unknown): void => void floating.push(reason);
    process.on('unhandledRejection', noteFloating);
    const server = await serve((request, response) =>
      setTimeout(() => json(response, request.url === '/first' ? 500 : 401, {}), 5),
    );
    const { store, run } = stack({ now: () => 1_000_000 });
    const schemes = ['first', 'second'].map((path) =>
      scheme(server.origin, {
        url: `${server.origin}/${path}`,
        place: { in: 'header', name: `X-${path}` },
      }),
    );
    const api = apiAt(server.origin, { kind: 'all', schemes });
    store(
      api,
      Object.fromEntries(
        [0, 1].flatMap((i) => Object.entries(fields).map(([name, value]) => [`${i}.${name}`, value])),
      ),
    );
    for (let i = 0; i < 3; i++) {
      expect(await run(callOf(toolOf(api)))).toMatchObject({
        kind: 'failed',
        error: { code: 'login_failed' },
      });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    process.off('unhandledRejection', noteFloating);
    expect(floating).toEqual([]);
  });
});

describe('signatures', () => {
  it('signs with HMAC what the scheme lists, with timestamp, nonce and key id', async () => {
    const scheme: HmacScheme = {
      kind: 'hmac',
      algorithm: 'sha256',
      encoding: 'base64',
      parts: ['timestamp', 'nonce', 'method', 'target', 'body-sha256', 'header:content-type', 'text:end'],
      separator: '\n',
      place: { in: 'header', name: 'X-Signature', prefix: 'v1=' },
      timestampHeader: 'X-Time',
      nonceHeader: 'X-Nonce',
      keyIdHeader: 'X-Key-Id',
    };
    const { headers, body, url } = await sentWith(scheme, { secret: 's3cret', keyId: 'kid' }, note, {
      text: 'hi',
    });
    const text = [
      headers['x-time'],
      headers['x-nonce'],
      'POST',
      url,
      createHash('sha256').update(body).digest('hex'),
      'application/json',
      'end',
    ].join('\n');
    expect(headers['x-signature']).toBe(`v1=${createHmac('sha256', 's3cret').update(text).digest('base64')}`);
    expect(headers['x-key-id']).toBe('kid');
  });
});
