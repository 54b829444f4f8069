import { describe, expect, it } from 'vitest';
import type { CallRecord } from '../domain/call.ts';
import { startGateway } from '../../test/support/gateway.ts';
import { createRefusedCalls, type RefusedCall } from './refused-calls.ts';

const refused = (changes: Partial<RefusedCall> = {}): RefusedCall => ({
  code: 'unknown_tool',
  message: 'The server has no tool of this name.',
  serverSlug: 'default',
  toolName: 'make_coffee',
  caller: { id: 'anonymous', kind: 'anonymous', label: 'anonymous' },
  client: { name: 'agent', version: '1' },
  surface: 'mcp',
  arguments: { strength: 3 },
  parentId: null,
  ...changes,
});

function open(keeps = true, secrets: readonly string[] = []) {
  const records: CallRecord[] = [];
  const clock = { nowMs: 1_700_000_000_000 };
  const counted: string[] = [];
  const calls = createRefusedCalls({
    add: (record) => records.push(record),
    count: (server, code) => counted.push(`${server} ${code}`),
    keepsContents: () => keeps,
    storedSecrets: () => secrets,
    now: () => clock.nowMs,
  });
  return { calls, records, counted, clock };
}

describe('calls that were not made', () => {
  it('are recorded with who asked for what', () => {
    const { calls, records } = open();
    calls.note(refused());
    expect(records).toEqual([
      expect.objectContaining({
        toolId: null,
        toolName: 'make_coffee',
        outcome: 'unknown_tool',
        callerId: 'anonymous',
        clientName: 'agent',
        argumentsText: '{"strength":3}',
      }),
    ]);
  });

  it('are recorded a few times and then counted, a flood of one caller beside the others', () => {
    const { calls, records, counted } = open();
    for (let i = 0; i < 10_000; i++) calls.note(refused({ toolName: `tool_${i}` }));
    calls.note(refused({ caller: { id: 'key:1', kind: 'key', label: 'ci' } }));
    calls.note(refused({ code: 'unauthenticated', toolName: '' }));
    expect(records.map(({ callerId, outcome }) => `${callerId} ${outcome}`)).toEqual([
      ...Array.from({ length: 5 }, () => 'anonymous unknown_tool'),
      'key:1 unknown_tool',
      'anonymous unauthenticated',
    ]);
    expect(counted).toHaveLength(10_002);
    calls.sumUp();
    expect(records.at(-1)?.message).toMatch(/^9,995 more were rejected/);
    expect(records).toHaveLength(8);
  });

  it('cannot fill the log, however many callers a flood has and however long it lasts', () => {
    const { calls, records, clock } = open();
    const told = () => records.length;
    for (let minute = 0; minute < 60; minute++) {
      for (let i = 0; i < 500; i++)
        calls.note(refused({ caller: { id: `key:${i}`, kind: 'key', label: `key ${i}` } }));
      clock.nowMs += 60_000;
      calls.sumUp();
    }
    expect(told()).toBeLessThanOrEqual(60 + 10 * 60);
    // Nothing that was not recorded is forgotten either.
    calls.sumUp(true);
    const missed = records
      .map(({ message }) => Number(/^([\d,]+) more/.exec(message ?? '')?.[1]?.replaceAll(',', '') ?? 0))
      .reduce((a, b) => a + b, 0);
    const singly = records.filter(({ argumentsText }) => argumentsText !== null).length;
    expect(missed + singly).toBe(30_000);
  });

  it('are cut and scrubbed: names, arguments and what the client calls itself', () => {
    const { calls, records } = open(true, ['a-stored-secret']);
    calls.note(
      refused({
        toolName: `read a-stored-secret\u202e\n${'x'.repeat(5_000)}`,
        client: { name: `agent ghp_${'a'.repeat(36)}` },
        arguments: { password: 'hunter2', note: 'a-stored-secret', long: 'y'.repeat(100_000) },
      }),
    );
    const [record] = records;
    expect(record?.toolName.length).toBeLessThanOrEqual(201);
    expect(record?.toolName).not.toMatch(/\p{Cc}|\p{Cf}/u);
    expect(record?.argumentsText?.length).toBeLessThanOrEqual(2_001);
    expect(JSON.stringify(record)).not.toMatch(/hunter2|a-stored-secret|ghp_a/);
  });

  it('leave no arguments where contents are not recorded', () => {
    const { calls, records } = open(false);
    calls.note(refused());
    expect(records[0]?.argumentsText).toBeNull();
  });
});

describe('a gateway', () => {
  it('shows who asked for a tool that is not there, and who was not let in', async () => {
    const at = await startGateway({ demo: true });
    try {
      const created = await at.request('POST', '/api/v1/keys', { name: 'old laptop' });
      const { key, id } = created.json<{ key: string; id: string }>();
      await at.request('DELETE', `/api/v1/keys/${id}`);
      await at.request('POST', '/api/v1/servers', { slug: 'locked', policy: 'key', tools: [{ all: true }] });
      const call = (name: string, args: object = {}) => ({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: args },
      });
      const headers = { accept: 'application/json, text/event-stream' };
      await at.request('POST', '/mcp', call('make_coffee', { api_key: 'k' }), headers);
      await at.request('POST', '/mcp', call('call_read', { name: 'make_tea' }), headers);
      await at.request('POST', '/mcp/tools/call', call('make_soup'), {});
      await at.request('POST', '/mcp/locked', call('get_weather'), {
        ...headers,
        authorization: `Bearer ${key}`,
      });
      await at.request('POST', '/mcp/locked', call('get_weather'), headers);
      await at.request('POST', '/mcp/nothing-here', call('get_weather'), headers);
      const list = await at.request('GET', '/api/v1/calls?outcome=refused');
      const items = list.json<{ items: Record<string, string>[] }>().items;
      expect(
        items
          .map(({ server, toolName, outcome, caller }) => [server, toolName, outcome, caller])
          .toReversed(),
      ).toEqual([
        ['default', 'make_coffee', 'unknown_tool', 'anonymous'],
        ['default', 'make_tea', 'unknown_tool', 'anonymous'],
        ['default', 'make_soup', 'unknown_tool', 'anonymous'],
        ['locked', '', 'unauthenticated', expect.stringMatching(/old laptop|anonymous/)],
        ['locked', '', 'unauthenticated', 'anonymous'],
      ]);
      expect(JSON.stringify(items)).not.toContain(key);
      expect(items.at(-1)?.['arguments']).toContain('[masked]');
      const usage = async (by: string) =>
        (await at.request('GET', `/api/v1/usage?by=${by}`)).json<{
          items: { name: string; calls: number }[];
        }>().items;
      // Names that no tool has are nobody's, but their callers called.
      expect(await usage('tool')).toEqual([]);
      expect(await usage('server')).toEqual(
        expect.arrayContaining([expect.objectContaining({ name: 'default', calls: 3, errors: 3 })]),
      );
      const overview = await at.request('GET', '/api/v1/overview');
      expect(overview.json()).toHaveProperty('today.faults', { agent: 5, api: 0, gateway: 0 });
      expect(await at.gateway.context.scrape()).toContain(
        'handrail_refused_calls_total{server="default",reason="unknown_tool"} 3',
      );
    } finally {
      await at.close();
    }
  });
});
