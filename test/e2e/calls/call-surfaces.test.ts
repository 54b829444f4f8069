import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../../src/domain/call.ts';
import type { Call } from '../../../src/pipeline/call.ts';
import { type AskedCall, callSurfaces, reachWith, resourceOf } from '../../support/call-surfaces.ts';
import { type RunningGateway, startGateway } from '../../support/running-gateway.ts';
import { serveHttp, type TestServer } from '../../support/servers/http-server.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;

let upstream: TestServer;
let running: RunningGateway;
/** The same gateway, whose calls do something more before they end. */
let reached: Awaited<ReturnType<typeof reachWith>>;
let onItsWay: (call: Call) => Promise<void>;
/** The traces that reached the API, one for each request. */
let traces: (string | undefined)[] = [];
let status = 200;
/** Of the test that runs: an API and two of its tools, which no other test knows. */
let api: string;
let tool: string;
let other: { readonly name: string; readonly id: string };
let tests = 0;

beforeAll(async () => {
  upstream = await serveHttp((request, response) => {
    traces.push(request.headers['traceparent'] as string | undefined);
    response.writeHead(status, { 'content-type': 'application/json' }).end('{"answer":"forty-two"}');
  });
  running = await startGateway({ egressAllow: ['127.0.0.1'] });
  const { answerCall } = running.gateway.context;
  reached = await reachWith(running.gateway, async (call, forModel) => {
    const outcome = await answerCall(call, forModel);
    await onItsWay(call);
    return outcome;
  });
});
afterAll(async () => {
  await reached.close();
  await running.stop();
  await upstream.close();
});

beforeEach(async () => {
  traces = [];
  status = 200;
  api = `tried-${++tests}`;
  tool = `tried_${tests}`;
  await done('POST', '/apis', { slug: api, baseUrl: upstream.origin });
  await addTool(tool);
  const name = `other_${tests}`;
  other = { name, id: await addTool(name) };
  const resources = [tool, name].map((one) => ({ uri: resourceOf(one), name: one, toolId: one }));
  await done('PATCH', '/servers/default', { resources, policy: 'open' });
  await done('PATCH', '/settings', { limits: null });
});

async function addTool(name: string): Promise<string> {
  const operation = { method: 'GET', path: '/tried' };
  return (await done('POST', '/tools', { api, name, description: 'Tells the answer', operation })).id;
}

async function done(method: string, path: string, body: object) {
  const answer = await running.admin(method, path, body);
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body;
}

interface CallShown {
  readonly id: string;
  readonly parentId: string | null;
  readonly outcome: string;
  readonly surface: string;
  readonly toolName: string;
  readonly callerId: string;
}

/** The records of this test's tool, newest first. */
async function records(): Promise<CallShown[]> {
  return (await running.admin('GET', `/calls?api=${api}`)).body.items;
}

describe.each(callSurfaces)('$name', ({ call, serves, surface, name }) => {
  const ask = (asked: Partial<AskedCall> = {}) =>
    call({ url: running.url, mcp: running.gateway.context.mcp }, { api, tool, ...asked });

  it('calls a tool once and records it once', async () => {
    expect(await ask()).toEqual({ result: 'done', text: '{"answer":"forty-two"}' });
    expect(traces).toEqual([undefined]);
    expect(await records()).toMatchObject([{ outcome: 'ok', surface, toolName: tool }]);
  });

  it('passes on the trace of whoever asks', async () => {
    await ask({ traceparent });
    expect(traces).toHaveLength(1);
    expect(traces[0]).toMatch(new RegExp(`^00-${traceId}-(?!b7ad6b7169203331)[0-9a-f]{16}-01$`));
  });

  // A tool that is not stored is neither disabled nor unknown.
  it.skipIf(name === 'tool draft')('refuses a disabled tool, and sends and records nothing', async () => {
    await done('PATCH', `/tools/${tool}`, { enabled: false });
    expect((await ask()).result).toBe('refused');
    expect(traces).toEqual([]);
    expect(await records()).toEqual([]);
  });

  it('refuses a tool of a disabled API, and sends and records nothing', async () => {
    await done('PATCH', `/apis/${api}`, { enabled: false });
    expect((await ask()).result).toBe('refused');
    expect(traces).toEqual([]);
    expect(await records()).toEqual([]);
  });

  it.skipIf(name === 'tool draft')('refuses a tool that is not there', async () => {
    expect((await ask({ tool: 'tried_nothing' })).result).toBe('refused');
    expect(traces).toEqual([]);
  });

  it.runIf(serves === 'callers')('refuses a tool outside the key', async () => {
    await done('PATCH', '/servers/default', { policy: 'key' });
    const { key } = await done('POST', '/keys', { name: 'some', tools: [other.name] });
    const caller: Caller = { id: 'key:some', kind: 'key', label: 'some', toolIds: new Set([other.id]) };
    expect((await ask({ key, caller })).result).toBe('refused');
    expect(traces).toEqual([]);
    expect(await records()).toEqual([]);
    expect((await ask({ key, caller, tool: other.name })).result).toBe('done');
  });

  it.each([
    ['API', () => `/apis/${api}`],
    ['installation', () => '/settings'],
  ])('counts for the limit of the %s', async (_whose, path) => {
    await done('PATCH', path(), { limits: { ratePerMinute: 1 } });
    expect((await ask()).result).toBe('done');
    const second = await ask();
    expect(second).toMatchObject({
      result: 'failed',
      text: expect.stringContaining('limit of 1 call per minute'),
    });
    expect(traces).toHaveLength(1);
    expect((await records()).map(({ outcome }) => outcome)).toEqual(['rate_limited', 'ok']);
  });

  it('keeps to what the installation allows a reply to be', async () => {
    await done('PATCH', '/settings', { limits: { maxReplyBytes: 4 } });
    expect((await ask()).result).toBe('failed');
    expect(await records()).toMatchObject([{ outcome: 'reply_too_large' }]);
  });

  it('may make further calls on its way: for the same caller, counted and recorded one by one', async () => {
    await done('PATCH', `/apis/${api}`, { limits: { ratePerMinute: 2 } });
    const { calls, answerCall, listedView } = running.gateway.context;
    let parent!: Call;
    const child = (toolName: string) => calls.makeChild(parent, listedView('default')!, toolName, {});
    onItsWay = async (made) => {
      parent = made;
      await answerCall(child(tool)!);
      await answerCall(child(other.name)!);
    };
    expect((await call(reached, { api, tool, traceparent })).result).toBe('done');
    const made = await records();
    expect(made.map(({ outcome }) => outcome)).toEqual(['rate_limited', 'ok', 'ok']);
    expect(made.map(({ parentId }) => parentId)).toEqual([parent.id, parent.id, null]);
    expect(new Set(made.map((one) => `${one.surface} ${one.callerId}`)).size).toBe(1);
    expect(new Set(made.map(({ id }) => id)).size).toBe(3);
    // Both in the client's trace, each with a span of its own.
    expect(traces.map((one) => one?.split('-')[1])).toEqual([traceId, traceId]);
    expect(new Set(traces).size).toBe(2);
    await done('PATCH', `/tools/${tool}`, { enabled: false });
    expect(child(tool)).toBeUndefined();
  });

  it('sends nothing to an API whose circuit is open, and says so', async () => {
    await done('PATCH', `/apis/${api}`, { limits: { breakerFailures: 1 } });
    status = 503;
    expect((await ask()).result).toBe('failed');
    status = 200;
    expect((await ask()).result).toBe('failed');
    expect(traces).toHaveLength(1);
    expect((await records()).map(({ outcome }) => outcome)).toEqual(['circuit_open', 'upstream_status']);
  });
});
