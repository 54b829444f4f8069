import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { listedTool, modern, post, serverView, startSurface } from '../../test/support/mcp-surface.ts';

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

it.each(['auto', 'legacy'] as const)('tells who asked that a long call is under way (%s)', async (mode) => {
  const heard = new Map(['call', 'read'].map((who) => [who, gate()]));
  const surface = await startSurface({
    views: [
      serverView('demo', [listedTool('call'), listedTool('read')], {
        resources: [{ uri: 'demo://read', name: 'Read', toolId: 'tool_read' }],
      }),
    ],
    // Neither ends before its caller was told.
    async runCall(call) {
      await heard.get(call.toolName)!.opened;
      return {
        kind: 'done',
        status: 200,
        output: { content: [{ type: 'text', text: 'done' }], structuredText: null },
      };
    },
  });
  const client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(surface.url('demo'))));
  const onprogress = (who: string) => ({ onprogress: () => heard.get(who)!.open() });
  const [called, read] = await Promise.all([
    client.callTool({ name: 'call', arguments: {} }, onprogress('call')),
    client.readResource({ uri: 'demo://read' }, onprogress('read')),
  ]);
  expect(called.content).toMatchObject([{ text: 'done' }]);
  expect(read.contents).toMatchObject([{ text: 'done' }]);
  await client.close();
  await surface.stop();
});

it('keeps to JSON for a client that takes nothing else', async () => {
  const arrived = gate();
  const told = gate();
  const surface = await startSurface({
    views: [serverView('demo', [listedTool('call')])],
    async runCall() {
      arrived.open();
      await told.opened;
      return { kind: 'done', status: 200, output: { content: [], structuredText: null } };
    },
  });
  const { body, headers } = modern('tools/call', {
    name: 'call',
    arguments: {},
    _meta: { progressToken: 1 },
  });
  const plain = post(surface.url('demo'), body, { ...headers, accept: '*/*' });
  await arrived.opened;
  // Who is told of progress began later, so by then the other would have been told too.
  const client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(surface.url('demo'))));
  await client.callTool({ name: 'call', arguments: {} }, { onprogress: () => told.open() });
  expect((await plain).headers.get('content-type')).toBe('application/json');
  await client.close();
  await surface.stop();
});
