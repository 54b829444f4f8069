import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call as callCommand } from '../../../src/cli/commands/call.ts';
import { exitCode } from '../../../src/cli/command.ts';
import type { Waiting } from '../../../src/domain/waiting.ts';
import type { CallTrace } from '../../../src/pipeline/call.ts';
import { callSurfaces, reachWith, resourceOf } from '../../support/call-surfaces.ts';
import { apiAt, callOf, toolOf } from '../../support/calling.ts';
import { adminToken, type RunningGateway, startGateway } from '../../support/running-gateway.ts';

const waiting: Waiting = {
  id: 'call_01JCQ000000000000000000000',
  for: 'person',
  message: 'An operator must allow "tried" first.',
  sinceMs: Date.UTC(2026, 0, 2, 3, 4, 5),
  askAgainAfterMs: 29_500,
  expiresAtMs: Date.UTC(2026, 0, 3),
};

let running: RunningGateway;
/** The same gateway, but every call waits. */
let reached: Awaited<ReturnType<typeof reachWith>>;

beforeAll(async () => {
  running = await startGateway();
  await running.admin('POST', '/apis', { slug: 'tried', baseUrl: 'http://127.0.0.1:9' });
  await running.admin('POST', '/tools', {
    api: 'tried',
    name: 'tried',
    description: 'Is waited for',
    operation: { method: 'GET', path: '/tried', replySchema: { type: 'object', properties: {} } },
  });
  const resources = [{ uri: resourceOf('tried'), name: 'tried', toolId: 'tried' }];
  await running.admin('PATCH', '/servers/default', { resources });
  reached = await reachWith(running.gateway, async () => ({ kind: 'waiting', waiting }));
});
afterAll(async () => {
  await reached.close();
  await running.stop();
});

describe('a call that waits', () => {
  it.each(callSurfaces)('says so to a client of $name, and how to ask again', async ({ call }) => {
    const told = await call(reached, { api: 'tried', tool: 'tried' });
    // It is no result, and whoever takes it for one would go on with nothing.
    expect(told.result).toBe('failed');
    for (const part of [
      'An operator must allow "tried" first.',
      'waiting for a person since 2026-01-02T03:04:05.000Z (call_01JCQ000000000000000000000)',
      'make the same call with the same arguments in 30 s',
      'It expires at 2026-01-03T00:00:00.000Z.',
    ])
      expect(told.text).toContain(part);
  });

  it('is told to programs apart from its words', async () => {
    const shown = {
      id: waiting.id,
      for: 'person',
      message: waiting.message,
      since: '2026-01-02T03:04:05.000Z',
      askAgainAfterMs: 29_500,
      expiresAt: '2026-01-03T00:00:00.000Z',
    };
    const post = async (path: string, body: object, headers = {}) => {
      const answer = await fetch(`${reached.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
      return await answer.json();
    };
    const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'tried' } };
    expect(await post('/mcp/tools/call', rpc)).toMatchObject({ error: { code: -32001, data: shown } });
    const authorization = `Bearer ${adminToken}`;
    expect(await post('/api/v1/tools/tried/call', {}, { authorization })).toMatchObject({
      ok: false,
      waiting: shown,
    });
  });

  it('ends a command with a code of its own', async () => {
    const said: string[] = [];
    const code = await callCommand.run({
      words: ['tried'],
      options: {},
      config: { ...running.gateway.config, adminToken },
      json: false,
      url: reached.url,
      print: (line) => void said.push(`out: ${line}`),
      printError: (line) => void said.push(`err: ${line}`),
    });
    expect(code).toBe(exitCode.waiting);
    expect(said).toEqual([expect.stringMatching(/^err: handrail: An operator must allow/)]);
  });

  it('is recorded and counted as neither done nor failed', async () => {
    const { recorder, metrics } = running.gateway.context;
    const trace: CallTrace = {
      call: callOf(toolOf(apiAt('https://api.example.com'))),
      startedAtMs: Date.now(),
      durationMs: 1,
      outcome: { kind: 'waiting', waiting },
      args: null,
      request: null,
      reply: null,
      steps: [],
      read: null,
      held: null,
    };
    recorder.record(trace);
    metrics.observe(trace);
    const found = async (outcome: string) =>
      (await running.admin('GET', `/calls?outcome=${outcome}`)).body.items as object[];
    expect(await found('waiting')).toMatchObject([
      {
        id: trace.call.id,
        outcome: 'waiting',
        message: expect.stringContaining(waiting.message),
        reply: null,
      },
    ]);
    expect(await found('error')).toEqual([]);
    expect(await found('ok')).toEqual([]);
    expect((await running.admin('GET', '/analytics?range=15m&by=outcome')).body).toMatchObject({
      totals: { calls: 1, errors: 0 },
      groups: [{ name: 'waiting', calls: 1, errors: 0 }],
    });
    expect(metrics.text()).toContain('surface="rest",outcome="waiting"} 1');
  });
});
