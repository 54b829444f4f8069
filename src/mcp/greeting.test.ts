import { expect, it } from 'vitest';
import { listedTool, modern, post, serverView, startSurface } from '../../test/support/mcp-surface.ts';
import { greetingFor } from './greeting.ts';

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

it('leaves anything else to the SDK', () => {
  for (const message of [
    null,
    1,
    {},
    { jsonrpc: '2.0', id: 1, method: 'ping' },
    { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} },
  ]) {
    expect(greetingFor(message ?? {}, view.server, '0')).toBeUndefined();
  }
});
