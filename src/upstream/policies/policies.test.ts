import { afterEach, describe, expect, it } from 'vitest';
import { HandrailError } from '../../domain/errors.ts';
import { defaultLimits, type Limits } from '../../domain/limits.ts';
import type { Call } from '../../pipeline/call.ts';
import type { Reply } from '../../pipeline/reply/reply.ts';
import type { Send } from '../../pipeline/send.ts';
import { anonymous, apiAt, callOf, toolOf } from '../../../test/support/calling.ts';
import { contextWith, requestTo } from '../../../test/support/sending.ts';
import { json, serveHttp } from '../../../test/support/servers/http-server.ts';
import { lastingPort } from '../../../test/support/servers/lasting-port.mjs';
import { type CircuitListeners, readCircuitHint } from './breaker.ts';
import { cachePolicy } from './cache.ts';
import { createEgressGuard } from '../connections/egress.ts';
import { createFetchGuarded } from '../fetch-guarded.ts';
import { createHealth } from '../health.ts';
import { withPolicies } from '../../pipeline/run-call.ts';
import { createPolicies } from './policies.ts';
import { createRateLimit } from './rate-limit.ts';
import { createSend } from '../send.ts';

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function serve(listener: Parameters<typeof serveHttp>[0]) {
  const server = await serveHttp(listener);
  closers.push(server.close);
  return server;
}

/** A clock that only moves when told; waiting moves it. */
function testClock() {
  let nowMs = 1_000_000;
  const waits: number[] = [];
  return {
    now: () => nowMs,
    advance: (ms: number) => void (nowMs += ms),
    waits,
    times: {
      now: () => nowMs,
      random: () => 0.5,
      wait: async (ms: number) => {
        waits.push(ms);
        nowMs += ms;
      },
    },
  };
}

/** The whole chain of policies over a real send, on a test clock. */
function chain(circuits: CircuitListeners = {}, clock = testClock()) {
  const sender = createSend({ guard: createEgressGuard({ allow: ['127.0.0.1'] }), now: clock.now });
  closers.push(sender.close);
  const policies = createPolicies({ now: clock.now, retryTimes: clock.times, circuits });
  return { clock, policies, send: withPolicies(policies.sendPolicies, sender.send) };
}

const context = (limits: Partial<Limits>, rest: Parameters<typeof contextWith>[1] = {}) =>
  contextWith({ totalTimeoutMs: 60_000, ...limits }, { deadlineMs: 100_000_000, ...rest });

const post = { method: 'POST', body: { contentType: 'application/json', content: '{}' } };

describe('retry', () => {
  it('sends a GET again until it works, waiting longer each time', async () => {
    const server = await serve((_request, response) => json(response, server.seen < 4 ? 503 : 200, {}));
    const { send, clock } = chain();
    const reply = await send(requestTo(server.origin), context({ retries: 5 }));
    expect(reply).toMatchObject({ status: 200, tries: 4 });
    expect(clock.waits).toEqual([50, 100, 200]);
  });

  it('never sends a POST twice, whatever went wrong after it left', async () => {
    const failures = [
      (_: unknown, response: { destroy(): void }) => response.destroy(),
      (_: unknown, response: Parameters<typeof json>[0]) => json(response, 503, {}),
      (_: unknown, response: Parameters<typeof json>[0]) => json(response, 429, {}, { 'retry-after': '0' }),
    ];
    for (const fail of failures) {
      const server = await serve((request, response) =>
        request.resume().on('end', () => fail(request, response)),
      );
      const { send } = chain();
      await send(requestTo(server.origin, post), context({ retries: 5 })).catch(() => {});
      expect(server.seen).toBe(1);
    }
  });

  it('sends a POST again when its idempotency key went with it, the same on each try', async () => {
    const keys: unknown[] = [];
    const server = await serve((request, response) => {
      keys.push(request.headers['idempotency-key']);
      json(response, keys.length < 3 ? 503 : 200, {});
    });
    const { send } = chain();
    const request = requestTo(server.origin, { ...post, headers: { 'idempotency-key': 'k1' } });
    await send(request, context({ retries: 5, idempotencyKeyHeader: 'Idempotency-Key' }));
    expect(keys).toEqual(['k1', 'k1', 'k1']);
  });

  it('sends a POST again when the connection was refused, since it never left', async () => {
    const origin = `http://127.0.0.1:${await lastingPort()}`;
    const { send, clock } = chain();
    await expect(send(requestTo(origin, post), context({ retries: 2 }))).rejects.toMatchObject({
      message: expect.stringContaining('tried 3 times'),
    });
    expect(clock.waits).toHaveLength(2);
  });

  it('waits as long as Retry-After says, and gives up when that outlasts the call', async () => {
    const server = await serve((_request, response) =>
      json(response, server.seen === 1 ? 429 : 200, {}, { 'retry-after': '7' }),
    );
    const { send, clock } = chain();
    await send(requestTo(server.origin), context({ retries: 1 }));
    expect(clock.waits).toEqual([7_000]);
    const impatient = await serve((_request, response) => json(response, 429, {}, { 'retry-after': '3600' }));
    const reply = await send(
      requestTo(impatient.origin),
      context({ retries: 5 }, { deadlineMs: clock.now() + 10_000 }),
    );
    expect(reply.status).toBe(429);
    expect(impatient.seen).toBe(1);
  });

  it('keeps to a budget, so that a bad day adds little load', async () => {
    const server = await serve((_request, response) => json(response, 503, {}));
    const { send } = chain();
    for (let i = 0; i < 100; i++) await send(requestTo(server.origin), context({ retries: 5 }));
    // A reserve of ten and a fifth of a retry for each call.
    expect(server.seen).toBeGreaterThanOrEqual(125);
    expect(server.seen).toBeLessThanOrEqual(131);
  });
});

describe('breaker', () => {
  it('stops sending after failures in a row, then lets one call try', async () => {
    let healthy = false;
    const server = await serve((_request, response) => json(response, healthy ? 200 : 500, {}));
    const { send, clock, policies } = chain();
    const limits = { breakerFailures: 3, breakerOpenMs: 10_000 };
    const call = () => send(requestTo(server.origin), context(limits));
    for (let i = 0; i < 3; i++) await call();
    expect(policies.breaker.isClosed('api_1')).toBe(false);
    for (let i = 0; i < 20; i++) {
      await expect(call()).rejects.toMatchObject({ code: 'circuit_open', details: { retryAfterMs: 10_000 } });
    }
    expect(server.seen).toBe(3);
    clock.advance(10_000);
    const probes = await Promise.allSettled([call(), call(), call()]);
    expect(server.seen).toBe(4);
    expect(probes.filter((probe) => probe.status === 'rejected')).toHaveLength(2);
    clock.advance(10_000);
    healthy = true;
    await call();
    expect(policies.breaker.isClosed('api_1')).toBe(true);
    await Promise.all([call(), call()]);
    expect(server.seen).toBe(7);
  });

  it('takes a client error and a caller who left for no failure', async () => {
    const server = await serve((_request, response) => json(response, 404, {}));
    const { send, policies } = chain();
    const gone = AbortSignal.abort();
    for (let i = 0; i < 5; i++) {
      await send(requestTo(server.origin), context({ breakerFailures: 2 }));
      await send(requestTo(server.origin), context({ breakerFailures: 2 }, { signal: gone })).catch(() => {});
    }
    expect(policies.breaker.isClosed('api_1')).toBe(true);
  });

  describe('of several processes', () => {
    const limits = { breakerFailures: 2, breakerOpenMs: 10_000 };

    /** Two processes that share their circuits, and an API that is healthy or not. */
    async function startTwo() {
      const api = { healthy: false };
      const server = await serve((_request, response) => json(response, api.healthy ? 200 : 500, {}));
      const published: unknown[] = [];
      const processes: ReturnType<typeof chain>[] = [0, 1].map((at) =>
        chain({
          publish: (hint) => {
            published.push(hint);
            const read = readCircuitHint(JSON.parse(JSON.stringify(hint)));
            processes[1 - at]!.policies.breaker.applyHint(read!);
          },
        }),
      );
      const call = (at: number) => processes[at]!.send(requestTo(server.origin), context(limits));
      const isClosed = (at: number) => processes[at]!.policies.breaker.isClosed('api_1');
      const advance = (ms: number) => processes.forEach(({ clock }) => clock.advance(ms));
      return { api, server, published, call, isClosed, advance };
    }

    it('opens in both when one saw an API fail, and closes in both when one saw it answer', async () => {
      const { api, server, published, call, isClosed, advance } = await startTwo();
      for (let i = 0; i < 2; i++) await call(0);
      expect([isClosed(0), isClosed(1)]).toEqual([false, false]);
      await expect(call(1)).rejects.toMatchObject({ code: 'circuit_open' });
      expect(server.seen).toBe(2);
      advance(10_000);
      api.healthy = true;
      await call(1);
      expect([isClosed(0), isClosed(1)]).toEqual([true, true]);
      await call(0);
      expect(server.seen).toBe(4);
      // Nobody repeats what it heard.
      expect(published).toHaveLength(2);
    });

    it('stays closed where the API answered while it failed elsewhere', async () => {
      const { api, call, isClosed, advance } = await startTwo();
      await call(0);
      advance(1_000);
      api.healthy = true;
      await call(1);
      api.healthy = false;
      await call(0);
      expect([isClosed(0), isClosed(1)]).toEqual([false, true]);
    });
  });

  it.each([
    ['nothing', null],
    ['another shape', { apiId: 'api_1' }],
    ['a time that is none', { apiId: 'api_1', failures: 1, failingForMs: 0, openForMs: -1 }],
    ['no API', { apiId: 7, failures: 1, failingForMs: 0, openForMs: 1 }],
  ])('reads no hint from %s', (_what, body) => {
    expect(readCircuitHint(body)).toBeNull();
  });

  it('leaves other APIs alone', async () => {
    const bad = await serve((_request, response) => json(response, 500, {}));
    const good = await serve((_request, response) => json(response, 200, {}));
    const { send } = chain();
    const limits = { breakerFailures: 1, breakerOpenMs: 60_000 };
    await send(requestTo(bad.origin), context(limits, { api: { id: 'bad' } }));
    await expect(send(requestTo(bad.origin), context(limits, { api: { id: 'bad' } }))).rejects.toMatchObject({
      code: 'circuit_open',
    });
    await expect(
      send(requestTo(good.origin), context(limits, { api: { id: 'good' } })),
    ).resolves.toMatchObject({ status: 200 });
  });
});

describe('concurrency', () => {
  it('runs as many at once as allowed, lets a bounded number wait, and refuses the rest', async () => {
    let running = 0;
    let most = 0;
    const held: (() => void)[] = [];
    const server = await serve((_request, response) => {
      most = Math.max(most, ++running);
      held.push(() => {
        running--;
        json(response, 200, {});
      });
    });
    const { send } = chain();
    const calls = Array.from({ length: 10 }, () =>
      send(requestTo(server.origin), context({ maxConcurrent: 2, maxQueued: 4 })),
    );
    const settled = Promise.allSettled(calls);
    for (let left = 6; left > 0; left--) {
      while (held.length < Math.min(left, 2)) await new Promise((resolve) => setImmediate(resolve));
      held.shift()!();
    }
    const results = await settled;
    expect(most).toBe(2);
    expect(results.filter((one) => one.status === 'fulfilled')).toHaveLength(6);
    expect(
      results.filter(
        (one) => one.status === 'rejected' && (one.reason as HandrailError).code === 'overloaded',
      ),
    ).toHaveLength(4);
  });
});

describe('cache', () => {
  const reply = (headers: Record<string, string> = {}, status = 200): Reply => ({
    status,
    headers,
    body: Buffer.from('x'),
    tries: 1,
    cached: false,
    upstreamMs: 1,
  });

  function counted(answer: () => Reply, roomBytes?: number) {
    const clock = testClock();
    let sent = 0;
    const next: Send = async () => {
      sent++;
      return answer();
    };
    return { clock, sent: () => sent, send: cachePolicy(clock.now, roomBytes)(next) };
  }
  const url = 'http://api.example/a';
  const limits = { cacheTtlMs: 1_000 };
  const credential = (identity: string) => ({ placements: [], identity });

  it('serves a GET again while it is young, and no longer', async () => {
    const { send, sent, clock } = counted(() => reply());
    await send(requestTo(url), context(limits));
    expect(await send(requestTo(url), context(limits))).toMatchObject({ cached: true, status: 200 });
    clock.advance(1_000);
    expect(await send(requestTo(url), context(limits))).toMatchObject({ cached: false });
    expect(sent()).toBe(2);
  });

  it('tells addresses, headers, tools and credentials apart', async () => {
    const { send, sent } = counted(() => reply());
    await send(requestTo(url), context(limits));
    await send(requestTo(`${url}?b=1`), context(limits));
    await send(requestTo(url, { headers: { accept: 'text/plain' } }), context(limits));
    await send(requestTo(url), context(limits, { toolId: 'tool_2' }));
    await send(requestTo(url, {}, credential('cred_1')), context(limits));
    await send(requestTo(url, {}, credential('cred_2')), context(limits));
    expect(sent()).toBe(6);
  });

  it('gives the reply of one request to all that waited for it, unless it may not be kept', async () => {
    for (const [headers, requests] of [
      [{}, 1],
      [{ 'cache-control': 'no-store' }, 5],
    ] as const) {
      const answers: ((reply: Reply) => void)[] = [];
      const send = cachePolicy(testClock().now)(() => new Promise((resolve) => answers.push(resolve)));
      const calls = Array.from({ length: 5 }, () => send(requestTo(url), context(limits)));
      await expect.poll(() => answers.length).toBe(1);
      answers[0]!(reply(headers));
      await expect.poll(() => answers.length).toBe(requests);
      for (const give of answers) give(reply(headers));
      expect((await Promise.all(calls)).filter(({ cached }) => !cached)).toHaveLength(requests);
    }
  });

  it('sends its own request when the one it waited for failed', async () => {
    const answers: { resolve(reply: Reply): void; reject(error: Error): void }[] = [];
    const send = cachePolicy(testClock().now)(
      () => new Promise((resolve, reject) => answers.push({ resolve, reject })),
    );
    const [first, second] = [1, 2].map(() => send(requestTo(url), context(limits)));
    answers[0]!.reject(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    await expect.poll(() => answers.length).toBe(2);
    answers[1]!.resolve(reply());
    expect(await second).toMatchObject({ cached: false });
  });

  it('keeps no POST, no error, and nothing that says no-store', async () => {
    for (const [plan, answer] of [
      [post, reply()],
      [{}, reply({}, 500)],
      [{}, reply({ 'cache-control': 'private, No-Store' })],
      [{}, reply({ vary: '*' })],
    ] as const) {
      const { send, sent } = counted(() => answer);
      await send(requestTo(url, plan), context(limits));
      await send(requestTo(url, plan), context(limits));
      expect(sent()).toBe(2);
    }
  });

  it('stays within its room, the oldest going first', async () => {
    const { send, sent } = counted(() => reply(), 1_100);
    for (const path of ['a', 'b', 'c', 'c', 'a'])
      await send(requestTo(`http://api.example/${path}`), context(limits));
    expect(sent()).toBe(4);
  });
});

describe('redirects', () => {
  it('follows them when allowed, and leaves the credential behind at another origin', async () => {
    const other = await serve((request, response) => json(response, 200, request.headers));
    const first = await serve((request, response) =>
      request.url === '/start'
        ? response.writeHead(302, { location: '/middle' }).end()
        : response
            .writeHead(307, { location: `${other.origin}/end`, 'x-seen': String(request.headers['x-key']) })
            .end(),
    );
    const { send } = chain();
    const request = requestTo(
      `${first.origin}/start`,
      { headers: { accept: 'a/b' } },
      { placements: [], identity: 'c' },
    );
    const withKey = request.redirected(
      request.plan,
      { ...request.plan, headers: { accept: 'a/b', 'x-key': 's3cret' } },
      true,
    );
    const reply = await send(withKey, context({ maxRedirects: 3 }));
    expect(JSON.parse(Buffer.from(reply.body).toString())).not.toHaveProperty('x-key');
    expect(first.seen).toBe(2);
  });

  it.each(['file:///etc/passwd', 'data:application/json,{}', 'gopher://127.0.0.1/'])(
    'refuses to go on to %s',
    async (location) => {
      const server = await serve((_request, response) => response.writeHead(302, { location }).end());
      const { send } = chain();
      await expect(send(requestTo(server.origin), context({ maxRedirects: 4 }))).rejects.toMatchObject({
        code: 'upstream_redirect',
      });
      expect(server.seen).toBe(1);
    },
  );

  it('ends a loop', async () => {
    const server = await serve((_request, response) => response.writeHead(302, { location: '/' }).end());
    const { send } = chain();
    await expect(send(requestTo(server.origin), context({ maxRedirects: 4 }))).rejects.toMatchObject({
      code: 'upstream_redirect',
    });
    expect(server.seen).toBe(5);
  });
});

describe('rate limit', () => {
  const api = apiAt('http://api.example');
  const call = (rest: Parameters<typeof callOf>[1] = {}, tool = toolOf(api)) => callOf(tool, rest);
  const server = (ratePerMinute: number) => ({ ...call().server, ratePerMinute });

  it('lets as many calls a minute through as the server says, for each caller', () => {
    const clock = testClock();
    const admit = createRateLimit(clock.now);
    const tool = toolOf(api);
    for (let i = 0; i < 60; i++) admit(call({ server: server(60) }, tool));
    expect(() => admit(call({ server: server(60) }, tool))).toThrow('60 calls per minute');
    expect(() =>
      admit(call({ server: server(60), caller: { ...anonymous, id: 'key:other' } }, tool)),
    ).not.toThrow();
  });

  const refusalOf = (admit: (call: Call) => void, limited: Call): HandrailError | null => {
    try {
      admit(limited);
      return null;
    } catch (error) {
      return error as HandrailError;
    }
  };

  it('names the exact time until one more call fits', () => {
    const clock = testClock();
    const admit = createRateLimit(clock.now);
    const limited = call({ server: server(2) }, toolOf(api));
    admit(limited);
    clock.advance(10_000);
    admit(limited);
    clock.advance(5_000);
    expect(refusalOf(admit, limited)?.details.retryAfterMs).toBe(45_000);
    clock.advance(44_999);
    expect(refusalOf(admit, limited)?.details.retryAfterMs).toBe(1);
    clock.advance(1);
    expect(refusalOf(admit, limited)).toBeNull();
    expect(refusalOf(admit, limited)?.details.retryAfterMs).toBe(10_000);
  });

  it.each([1, 7, 60, 61, 300])(
    'lets no more than %i through in any minute, and all that it promised',
    (rate) => {
      const clock = testClock();
      const admit = createRateLimit(clock.now);
      const limited = call({ server: server(rate) }, toolOf(api));
      const passed: number[] = [];
      for (let i = 0; i < 2_000; i++) {
        const refused = refusalOf(admit, limited);
        if (refused === null) passed.push(clock.now());
        else {
          const waitMs = refused.details.retryAfterMs!;
          expect(waitMs).toBeLessThanOrEqual(60_000);
          if (i % 3 === 0) clock.advance(waitMs);
        }
        clock.advance((i * 37) % 400);
      }
      expect(passed.length).toBeGreaterThan(rate);
      for (const [index, at] of passed.entries())
        if (index >= rate) expect(at - passed[index - rate]!).toBeGreaterThanOrEqual(60_000);
    },
  );

  it('counts for the tool, the API and the caller as well; 0 means no limit', () => {
    const admit = createRateLimit(testClock().now);
    const two = { ratePerMinute: 2 };
    const cases = [
      call({}, toolOf({ ...api, limits: two })),
      call({}, toolOf(api, {}, { limits: two })),
      call({ caller: { ...anonymous, id: 'key:1', ratePerMinute: 2 } }),
    ];
    for (const one of cases) {
      admit(one);
      admit(one);
      expect(() => admit(one)).toThrow(HandrailError);
    }
    const free = call();
    for (let i = 0; i < 1_000; i++) admit(free);
  });
});

describe('health', () => {
  it('takes an API for unhealthy while its circuit is open or its probe fails', async () => {
    let status = 500;
    let answered = (): void => {};
    const server = await serve((_request, response) => {
      json(response, status, {});
      answered();
    });
    const { fetch, close } = createFetchGuarded({
      guard: createEgressGuard({ allow: ['127.0.0.1'] }),
      now: Date.now,
    });
    const health = createHealth({ fetch });
    closers.push(close, () => health.close());
    const api = apiAt(`${server.origin}/v1`, { kind: 'none' }, { probe: { path: '/up', everyMs: 1 } });
    const changes: boolean[] = [];
    const changed = () =>
      new Promise<void>((resolve) => void (answered = () => changes.length > 0 && resolve()));
    health.onChange((_id, healthy) => {
      changes.push(healthy);
      answered();
    });
    expect(health.isHealthy(api.id)).toBe(true);
    health.follow([api]);
    await changed();
    expect(health.isHealthy(api.id)).toBe(false);
    status = 404;
    await new Promise<void>((resolve) => void health.onChange(() => resolve()));
    expect(health.isHealthy(api.id)).toBe(true);
    expect(changes).toEqual([false, true]);
  });
});

describe('a call that uses no policy', () => {
  it('goes straight to the send', () => {
    const list = Object.values(createPolicies({ now: Date.now }).sendPolicies);
    const promise = Promise.resolve({} as Reply);
    const next: Send = () => promise;
    const optional = list.filter(
      (policy) => policy(next)(requestTo('http://api.example'), contextWith(defaultLimits)) === promise,
    );
    // All but the bound on concurrency, which every call has.
    expect(optional).toHaveLength(list.length - 1);
  });
});
