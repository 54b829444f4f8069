import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { createLineChannel } from '../mcp/stdio/line-channel.ts';
import { bridge } from './stdio-bridge.ts';

type Answer = (message: unknown, res: ServerResponse, req: IncomingMessage) => void;

/** A bridge to a gateway made by hand, with both ends of its pipe. */
async function startBridge(answer: Answer) {
  const server = createServer((req, res) => {
    let body = '';
    req.on('data', (chunk: Buffer) => (body += chunk.toString()));
    req.on('end', () => answer(body === '' ? null : JSON.parse(body), res, req));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const input = new PassThrough();
  const output = new PassThrough();
  const lines = createInterface({ input: output })[Symbol.asyncIterator]();
  const stop = new AbortController();
  const done = bridge(
    createLineChannel(input, output),
    `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    undefined,
    { drainMs: 60_000, stopped: once(stop.signal, 'abort') },
  );
  return {
    send: (message: unknown) => void input.write(`${JSON.stringify(message)}\n`),
    next: async () => JSON.parse(((await lines.next()) as { value: string }).value) as unknown,
    end: () => void input.end(),
    stop: () => stop.abort(),
    done,
    async close() {
      input.end();
      await done;
      server.closeAllConnections();
      server.close();
    },
  };
}

const json = (res: ServerResponse, status: number, body: unknown) =>
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

it('carries a batch and its answers, and goes on after lines that are no messages', async () => {
  const client = await startBridge((message, res) =>
    json(res, 200, Array.isArray(message) ? message.map(({ id }: { id: number }) => ({ id })) : { id: 9 }),
  );
  client.send(null);
  expect(await client.next()).toMatchObject({ id: null, error: { code: -32_600 } });
  client.send([{ jsonrpc: '2.0', id: 1, method: 'ping' }]);
  expect(await client.next()).toEqual([{ id: 1 }]);
  await client.close();
});

it('tells the client when a batch is refused', async () => {
  const client = await startBridge((_message, res) =>
    json(res, 400, { jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'no batches' } }),
  );
  client.send([{ jsonrpc: '2.0', id: 1, method: 'ping' }]);
  expect(await client.next()).toMatchObject({ id: null, error: { message: 'no batches' } });
  await client.close();
});

it('passes on why it was refused, and where it takes its key from', async () => {
  const client = await startBridge((message, res) => {
    const { method } = message as { method: string };
    if (method === 'host') json(res, 403, { detail: 'The Host header does not name this gateway.' });
    else if (method === 'key')
      json(res, 401, { jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'No key.' } });
    else res.writeHead(413).end('<h1>too large</h1>');
  });
  const told = async (method: string) => {
    client.send({ jsonrpc: '2.0', id: 1, method });
    return ((await client.next()) as { error: { message: string } }).error.message;
  };
  expect(await told('host')).toBe(
    'The gateway responded with HTTP 403: The Host header does not name this gateway.',
  );
  expect(await told('key')).toBe('No key. Set it as HANDRAIL_KEY or with --key.');
  expect(await told('size')).toBe('The gateway responded with HTTP 413');
  await client.close();
});

it('takes a modern request back by closing its connection, before anything was answered', async () => {
  let arrived!: (res: ServerResponse) => void;
  const waiting = new Promise<ServerResponse>((resolve) => (arrived = resolve));
  const client = await startBridge((_message, res) => arrived(res));
  const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
  client.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'slow', _meta } });
  const res = await waiting;
  const closed = once(res, 'close');
  client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, _meta } });
  await closed;
  expect(res.headersSent).toBe(false);
  await client.close();
});

it('sends what follows an opening in the session that it opened', async () => {
  const sessions: unknown[] = [];
  const client = await startBridge((message, res, req) => {
    const { id, method } = (message ?? {}) as { id?: number; method?: string };
    sessions.push(req.headers['mcp-session-id']);
    if (method === 'initialize') res.setHeader('mcp-session-id', 's1');
    json(res, 200, { jsonrpc: '2.0', id, result: {} });
  });
  client.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} });
  client.send({ jsonrpc: '2.0', id: 2, method: 'ping' });
  await client.next();
  await client.next();
  expect(sessions).toEqual([undefined, 's1']);
  await client.close();
});

it('waits at the end of its input for answers that are due, but not when it is asked to stop', async () => {
  const open: ServerResponse[] = [];
  let arrived!: () => void;
  const both = new Promise<void>((resolve) => (arrived = resolve));
  const client = await startBridge((_message, res) => void (open.push(res) === 2 && arrived()));
  client.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
  client.send({ jsonrpc: '2.0', id: 2, method: 'ping' });
  await both;
  client.end();
  json(open[0]!, 200, { jsonrpc: '2.0', id: 1, result: {} });
  expect(await client.next()).toMatchObject({ id: 1 });
  client.stop();
  await client.close();
});

it('repeats parameters in the headers that the list asked for', async () => {
  const headers: unknown[] = [];
  const inputSchema = {
    type: 'object',
    properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, other: { type: 'string' } },
  };
  const client = await startBridge((message, res, req) => {
    const { id, method } = message as { id: number; method: string };
    headers.push(req.headers['mcp-param-region']);
    json(res, 200, {
      jsonrpc: '2.0',
      id,
      result: method === 'tools/list' ? { tools: [{ name: 'a', inputSchema }] } : {},
    });
  });
  const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
  client.send({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } });
  await client.next();
  for (const region of ['eu', 'süd', undefined]) {
    const params = { name: 'a', arguments: { region, other: 'x' }, _meta };
    client.send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params });
    await client.next();
  }
  expect(headers).toEqual([undefined, 'eu', '=?base64?c8O8ZA==?=', undefined]);
  await client.close();
});
