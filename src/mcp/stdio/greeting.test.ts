import { expect, it } from 'vitest';
import { listedTool, modern, post, serverView, startSurface } from '../../../test/support/mcp-surface.ts';
import { defaultServer } from '../../domain/server.ts';
import { predictOpening, greetingFor } from './greeting.ts';

const view = serverView('demo', [listedTool('one')], {
  instructions: 'Be kind.',
  description: 'A demo',
  icons: [{ src: 'https://example.com/i.png', sizes: ['48x48'] }],
  prompts: [{ name: 'p', arguments: [{ name: 'a', values: ['x'] }], text: '{{a}}' }],
});

it.each(['initialize', 'server/discover'])('greets over stdio as the SDK does: %s', async (method) => {
  const surface = await startSurface({ views: [view], fastLane: false });
  try {
    const legacy = {
      jsonrpc: '2.0',
      id: 1,
      method,
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    };
    const { body, headers } = method === 'initialize' ? { body: legacy, headers: {} } : modern(method);
    const { json } = await post(surface.url('demo'), body, headers);
    expect(JSON.parse(greetingFor(body, view.server, '0.0.0-test')!)).toEqual(json);
  } finally {
    await surface.stop();
  }
});

it('greets for the server that a new data folder will have', () => {
  const { body } = modern('server/discover');
  const greeting = greetingFor(body, defaultServer({ kind: 'open' }), '1.2.3')!;
  expect(JSON.parse(greeting)).toMatchObject({
    result: {
      cacheScope: 'public',
      _meta: {
        'io.modelcontextprotocol/serverInfo': { name: 'default', title: 'All tools', version: '1.2.3' },
      },
    },
  });
});

it('leaves anything else to the SDK', () => {
  for (const message of [
    null,
    1,
    {},
    { jsonrpc: '2.0', id: 1, method: 'ping' },
    { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} },
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: null, clientInfo: { name: 'x', version: '1' } },
    },
    modern('server/discover', { _meta: { 'io.modelcontextprotocol/clientInfo': { name: 5 } } }).body,
  ]) {
    expect(greetingFor(message ?? {}, view.server, '0')).toBeUndefined();
  }
});

const now = { seq: 7, listBudget: 10_000 };
const remembered = { ...now, mode: 'search', searchInstructions: 'Search.' } as const;

it.each([
  ['a server that is listed', { mode: 'direct' }, null, undefined, 'Be kind.'],
  ['a client that wants a list', {}, null, 'direct', 'Be kind.'],
  ['a server that was found to be searched', {}, remembered, undefined, 'Search.'],
  ['a server that was found to be listed', {}, { ...remembered, mode: 'direct' }, undefined, 'Be kind.'],
  ['a client that wants to search', { mode: 'direct' }, remembered, 'search', 'Search.'],
  ['a server of which nothing is known', {}, null, undefined, null],
  ['a registry that has changed', {}, { ...remembered, seq: 6 }, undefined, null],
  ['another budget', {}, { ...remembered, listBudget: 5 }, undefined, null],
  ['a mode that there is not', {}, remembered, 'odd', null],
] as const)('foresees how it opens: %s', (_, more, known, asked, instructions) => {
  const opening = predictOpening({ ...view.server, ...more }, known, now, asked);
  expect(opening?.instructions ?? null).toBe(instructions);
});
