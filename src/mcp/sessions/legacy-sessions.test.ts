import { afterEach, describe, expect, it } from 'vitest';
import {
  listedTool,
  post,
  rememberEnded,
  serverView,
  startSurface,
} from '../../../test/support/mcp-surface.ts';
import type { Surface, SurfaceOptions } from '../../../test/support/mcp-surface.ts';
import { connectedSiblings } from '../../../test/support/servers/siblings.ts';
import type { Siblings } from '../../lib/siblings.ts';
import type { Outcome } from '../../pipeline/call.ts';
import { conformanceFeatures } from '../../../test/support/conformance-fixtures/features.ts';
import { sessionLifetimeMs } from './session-token.ts';

const started: Surface[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((surface) => surface.stop()));
});

async function start(options: SurfaceOptions = {}) {
  const surface = await startSurface({ views: [serverView('demo', [listedTool('slow')])], ...options });
  started.push(surface);
  return surface;
}

/** Two workers of one gateway. */
async function startWorkers(options: SurfaceOptions): Promise<[Surface, Surface]> {
  const [one, other] = connectedSiblings(2) as [Siblings, Siblings];
  return [await start({ ...options, siblings: one }), await start({ ...options, siblings: other })];
}

const initialize = (protocolVersion = '2025-11-25', capabilities: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion, capabilities, clientInfo: { name: 'a-client', version: '3' } },
});
const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
const open = async (surface: Surface, capabilities: object = {}, headers: Record<string, string> = {}) =>
  (await post(surface.url('demo'), initialize('2025-11-25', capabilities), headers)).headers.get(
    'mcp-session-id',
  )!;

/** Reads events from a stream until one holds `text`, and returns all of them. */
async function eventsUntil(response: Response, text: string): Promise<{ id?: string; data: string }[]> {
  const events: { id?: string; data: string }[] = [];
  let rest = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    rest += chunk;
    for (let at = rest.indexOf('\n\n'); at !== -1; at = rest.indexOf('\n\n')) {
      const lines = rest.slice(0, at).split('\n');
      rest = rest.slice(at + 2);
      const id = lines.find((line) => line.startsWith('id: '))?.slice(4);
      const data = lines.find((line) => line.startsWith('data: '))?.slice(6) ?? '';
      events.push({ ...(id !== undefined && { id }), data });
      if (data.includes(text)) return events;
    }
  }
  return events;
}

describe('a legacy session', () => {
  it.each([true, false])('answers a cancelled call with an error, fast lane: %s', async (fastLane) => {
    let arrived!: (release: (outcome: Outcome) => void) => void;
    const running = new Promise<(outcome: Outcome) => void>((resolve) => (arrived = resolve));
    const surface = await start({ fastLane, runCall: () => new Promise((resolve) => arrived(resolve)) });
    const session = { 'mcp-session-id': await open(surface) };
    const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'slow', arguments: {} } };
    const answer = post(surface.url('demo'), call, session);
    const release = await running;
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
    expect((await post(surface.url('demo'), cancel, session)).status).toBe(202);
    release({ kind: 'done', status: 200, output: { content: [], structuredText: null } });
    expect((await answer).json).toEqual({
      jsonrpc: '2.0',
      id: 7,
      error: { code: -32603, message: 'The request was canceled' },
    });
  });

  it('is over on every instance once its client ended it', async () => {
    const endedSessions = rememberEnded();
    const [first, second] = [await start({ endedSessions }), await start({ endedSessions })];
    const session = { 'mcp-session-id': await open(first) };
    expect((await post(second.url('demo'), list, session)).status).toBe(200);
    expect((await fetch(first.url('demo'), { method: 'DELETE', headers: session })).status).toBe(200);
    for (const { url } of [first, second]) {
      expect((await post(url('demo'), list, session)).status).toBe(404);
      expect((await fetch(url('demo'), { method: 'DELETE', headers: session })).status).toBe(404);
    }
  });

  it('goes on after a restart and on another instance, with its client known', async () => {
    const first = await start();
    const session = await open(first);
    await first.stop();
    started.length = 0;
    const second = await start();
    const call = { jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'slow', arguments: {} } };
    const answer = await post(second.url('demo'), call, { 'mcp-session-id': session });
    expect(answer.status).toBe(200);
    expect(second.calls[0]?.client).toEqual({ name: 'a-client', version: '3' });
  });

  it('is bound to its caller: with another key it is as good as none', async () => {
    const surface = await start({
      callerOf: (authorization) => ({ id: `key:${authorization}`, kind: 'key', label: 'k' }),
    });
    const session = await open(surface, {}, { authorization: 'one' });
    const other = { authorization: 'two', 'mcp-session-id': session };
    expect((await post(surface.url('demo'), list, other)).status).toBe(200);
    const stream = await fetch(surface.url('demo'), { headers: { ...other, accept: 'text/event-stream' } });
    expect(stream.status).toBe(404);
    const call = { jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'slow', arguments: {} } };
    await post(surface.url('demo'), call, other);
    expect(surface.calls[0]?.client?.name).toBe('node');
  });

  it('ends after a week', async () => {
    let nowMs = 1_000_000;
    const surface = await start({ now: () => nowMs });
    const session = await open(surface);
    nowMs += sessionLifetimeMs + 1;
    expect((await post(surface.url('demo'), list, { 'mcp-session-id': session })).status).toBe(404);
  });

  it('takes up a stream where its client lost it', async () => {
    const surface = await start({ native: () => conformanceFeatures });
    const session = await open(surface);
    const call = {
      jsonrpc: '2.0',
      id: 9,
      method: 'tools/call',
      params: { name: 'test_reconnection', arguments: {} },
    };
    const dropped = await post(surface.url('demo'), call, { 'mcp-session-id': session });
    expect(dropped.text).not.toContain('result');
    const lastEventId = /id: (\S+)/.exec(dropped.text)![1]!;
    const resumed = await fetch(surface.url('demo'), {
      headers: { accept: 'text/event-stream', 'mcp-session-id': session, 'last-event-id': lastEventId },
    });
    const events = await eventsUntil(resumed, 'result');
    expect(JSON.parse(events.at(-1)!.data)).toMatchObject({ id: 9, result: { content: [{ type: 'text' }] } });
    const again = await fetch(surface.url('demo'), {
      headers: { accept: 'text/event-stream', 'mcp-session-id': session, 'last-event-id': lastEventId },
    });
    expect(await eventsUntil(again, 'result')).toEqual(events);
  });

  it.each(['2025-11-25', '2025-06-18', '2025-03-26'])(
    'goes on with a call whose stream its client lost (%s)',
    async (revision) => {
      let finish = () => {};
      const finished = new Promise<void>((resolve) => (finish = resolve));
      const surface = await start({
        async runCall() {
          await finished;
          return {
            kind: 'done',
            status: 200,
            output: { content: [{ type: 'text', text: 'done' }], structuredText: null },
          };
        },
      });
      const opened = await post(surface.url('demo'), initialize(revision));
      const headers = { 'mcp-session-id': opened.headers.get('mcp-session-id')! };
      const lost = new AbortController();
      const call = await fetch(surface.url('demo'), {
        method: 'POST',
        signal: lost.signal,
        headers: {
          ...headers,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 9,
          method: 'tools/call',
          params: { name: 'slow', arguments: {}, _meta: { progressToken: 1 } },
        }),
      });
      const before = await eventsUntil(call, 'notifications/progress');
      lost.abort();
      const resumed = await fetch(surface.url('demo'), {
        headers: { ...headers, accept: 'text/event-stream', 'last-event-id': before.at(-1)!.id! },
      });
      finish();
      const events = await eventsUntil(resumed, 'result');
      expect(JSON.parse(events.at(-1)!.data)).toMatchObject({
        id: 9,
        result: { content: [{ text: 'done' }] },
      });
    },
  );

  it.each([
    ['goes on', false],
    ['was answered meanwhile', true],
  ])(
    'takes up at one worker the stream of a call that another one answers and that %s',
    async (_how, isDone) => {
      let finish = () => {};
      const finished = new Promise<void>((resolve) => (finish = resolve));
      const [first, second] = await startWorkers({
        async runCall() {
          await finished;
          return {
            kind: 'done',
            status: 200,
            output: { content: [{ type: 'text', text: 'done' }], structuredText: null },
          };
        },
      });
      const headers = { 'mcp-session-id': await open(first) };
      const lost = new AbortController();
      const call = await fetch(first.url('demo'), {
        method: 'POST',
        signal: lost.signal,
        headers: {
          ...headers,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 9,
          method: 'tools/call',
          params: { name: 'slow', arguments: {}, _meta: { progressToken: 1 } },
        }),
      });
      const before = await eventsUntil(call, 'notifications/progress');
      lost.abort();
      if (isDone) finish();
      const resumed = await fetch(second.url('demo'), {
        headers: { ...headers, accept: 'text/event-stream', 'last-event-id': before.at(-1)!.id! },
      });
      if (!isDone) finish();
      // It ends with its answer, also where it was taken up.
      const events = await eventsUntil(resumed, 'more than that');
      expect(JSON.parse(events.at(-1)!.data)).toMatchObject({
        id: 9,
        result: { content: [{ text: 'done' }] },
      });
      // Nobody else's session leads to it.
      const stranger = await fetch(second.url('demo'), {
        headers: {
          'mcp-session-id': await open(second),
          accept: 'text/event-stream',
          'last-event-id': before.at(-1)!.id!,
        },
      });
      expect((await eventsUntil(stranger, 'list_changed')).some(({ data }) => data.includes('done'))).toBe(
        false,
      );
      await stranger.body?.cancel().catch(() => {});
    },
  );

  it('lets a client that was away look again', async () => {
    const surface = await start();
    const session = await open(surface);
    const stream = await fetch(surface.url('demo'), {
      headers: {
        accept: 'text/event-stream',
        'mcp-session-id': session,
        'last-event-id': 'fromanotherinstance.7',
      },
    });
    const events = await eventsUntil(stream, 'list_changed');
    expect(events.at(-1)!.data).toContain('notifications/tools/list_changed');
    await stream.body?.cancel().catch(() => {});
  });

  it('ends its stream when the server is withdrawn', async () => {
    const surface = await start();
    const session = await open(surface);
    const stream = await fetch(surface.url('demo'), {
      headers: { accept: 'text/event-stream', 'mcp-session-id': session },
    });
    surface.withdraw('demo');
    expect(await eventsUntil(stream, 'never')).toHaveLength(1);
  });

  it.each([true, false])('stops a call that its client cancels (fast lane: %s)', async (fastLane) => {
    let begun!: () => void;
    const running = new Promise<void>((resolve) => (begun = resolve));
    const surface = await start({
      fastLane,
      runCall: async (call) => {
        begun();
        while (!call.signal.aborted) await new Promise((resolve) => setImmediate(resolve));
        return { kind: 'done', status: 200, output: { content: [], structuredText: null } };
      },
    });
    const session = await open(surface);
    const call = { jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'slow', arguments: {} } };
    const answered = post(surface.url('demo'), call, { 'mcp-session-id': session });
    await running;
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } };
    expect((await post(surface.url('demo'), cancel, { 'mcp-session-id': session })).status).toBe(202);
    expect((await answered).status).toBe(200);
  });

  it('carries a question to the client and its answer back', async () => {
    const surface = await start({ native: () => conformanceFeatures });
    const session = await open(surface, { elicitation: { form: {} } });
    const call = {
      jsonrpc: '2.0',
      id: 3,
      method: 'tools/call',
      params: { name: 'test_elicitation', arguments: { message: 'Who?' } },
    };
    const stream = await fetch(surface.url('demo'), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': session,
      },
      body: JSON.stringify(call),
    });
    let rest = '';
    const answers: string[] = [];
    for await (const chunk of stream.body!.pipeThrough(new TextDecoderStream())) {
      rest += chunk;
      const question =
        /"method":"elicitation\/create".*"id":"([^"]+)"|"id":"([^"]+)".*"method":"elicitation\/create"/.exec(
          rest,
        );
      if (question && answers.length === 0) {
        answers.push(question[1] ?? question[2]!);
        const reply = {
          jsonrpc: '2.0',
          id: answers[0],
          result: { action: 'accept', content: { username: 'u', email: 'e' } },
        };
        await post(surface.url('demo'), reply, { 'mcp-session-id': session });
      }
    }
    expect(rest).toContain('action=accept');
  });
});
