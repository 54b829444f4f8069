import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { listedTool, serverView, startSurface } from '../../test/support/mcp-surface.ts';

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
        ok: true,
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
