import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { afterEach, expect, it } from 'vitest';
import {
  anonymous,
  listedTool,
  modern,
  serverView,
  startSurface,
} from '../../../test/support/mcp-surface.ts';
import type { Surface } from '../../../test/support/mcp-surface.ts';
import { createLineChannel } from './line-channel.ts';

const started: Surface[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((surface) => surface.stop()));
});

const long = `get_${'x'.repeat(90)}`;

/** A client at the other end of a pipe to a server with one tool. */
async function connect() {
  const surface = await startSurface({ views: [serverView('demo', [listedTool(long)])] });
  started.push(surface);
  const input = new PassThrough();
  const output = new PassThrough();
  const lines = createInterface({ input: output })[Symbol.asyncIterator]();
  const lane = await surface.handler.serveLines(
    createLineChannel(input, output),
    'demo',
    anonymous,
    new Set(),
  );
  return {
    surface,
    lane,
    send: (message: object) => void input.write(`${JSON.stringify(message)}\n`),
    next: async () =>
      JSON.parse(((await lines.next()) as { value: string }).value) as {
        id?: unknown;
        method?: string;
        result: { tools: { name: string }[] };
        error?: { message: string };
      },
  };
}

it('writes tools in the dialect of each modern request, and calls them by the names it showed', async () => {
  const { surface, send, next, lane } = await connect();
  const asClient = (name: string) => ({
    _meta: { 'io.modelcontextprotocol/clientInfo': { name, version: '1' } },
  });
  send(modern('tools/list', asClient('someone'), 1).body);
  expect((await next()).result.tools[0]!.name).toBe(long);
  send(modern('tools/list', asClient('cursor'), 2).body);
  const shown = (await next()).result.tools[0]!.name;
  expect(shown.length).toBeLessThan(60);
  send(modern('tools/call', { ...asClient('cursor'), name: shown, arguments: {} }, 3).body);
  expect(await next()).toMatchObject({ id: 3, result: { content: [{ type: 'text' }] } });
  expect(surface.calls[0]?.toolName).toBe(long);
  await lane.close();
});

it('tells a legacy client of changed tools, and answers what came before it closes', async () => {
  const { surface, send, next, lane } = await connect();
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
  send({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  await next();
  surface.publish(serverView('demo', [listedTool('other')]));
  expect((await next()).method).toBe('notifications/tools/list_changed');
  send({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
  const answer = next();
  expect((await answer).result.tools[0]!.name).toBe('other');
  await lane.settled();
  await lane.close();
});

it('calls nothing of a server that was withdrawn while it was served', async () => {
  const { surface, send, next, lane } = await connect();
  send(modern('tools/call', { name: long, arguments: {} }, 1).body);
  expect(await next()).toMatchObject({ id: 1, result: { content: [{ type: 'text' }] } });
  surface.withdraw('demo');
  send(modern('tools/call', { name: long, arguments: {} }, 2).body);
  send(modern('tools/list', {}, 3).body);
  const answers = [await next(), await next()];
  expect(answers.find(({ id }) => id === 2)?.error?.message).toBe(`Unknown tool: ${long}`);
  expect(answers.find(({ id }) => id === 3)?.result.tools).toEqual([]);
  expect(surface.calls).toHaveLength(1);
  await lane.close();
});
