import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFetchGuarded } from '../fetch-guarded.ts';
import { createEgressGuard } from './egress.ts';

const interim = 'HTTP/1.1 100 Continue\r\n\r\n';
const final = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
let pieces: readonly string[] = [];
let origin: string;
const open = new Set<Socket>();
const server = createServer((socket) => {
  open.add(socket);
  socket.setNoDelay(true).on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    if (!chunk.toString().startsWith('GET')) return;
    void (async () => {
      for (const piece of pieces) {
        socket.write(piece);
        await delay(2);
      }
    })();
  });
});
const outbound = createFetchGuarded({ guard: createEgressGuard({ allow: ['127.0.0.1'] }), now: Date.now });
const get = async () => {
  const { status, body } = await outbound.fetch({
    method: 'GET',
    url: origin,
    headers: {},
    timeoutMs: 60_000,
    maxReplyBytes: 1_000_000,
  });
  return [status, Buffer.from(body).toString()];
};

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(async () => {
  await outbound.close();
  for (const socket of open) socket.destroy();
  server.close();
});

describe('100 Continue that nothing asked for', () => {
  it.each<[string, readonly string[]]>([
    ['in one piece', [interim + final]],
    ['before the response', [interim, final]],
    ['several times', [interim + interim, interim, final]],
    ['byte by byte', [...(interim + final)]],
    ['with headers', ['HTTP/1.1 100 Go on\r\nserver: x\r\n\r\n' + final]],
  ])('is ignored: %s', async (_how, sent) => {
    pieces = sent;
    expect(await get()).toEqual([200, 'ok']);
    // On the connection that is open.
    expect(await get()).toEqual([200, 'ok']);
  });

  it('is left alone in what an API sends as its response', async () => {
    const text = interim.repeat(3_000);
    pieces = [`HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n`, text];
    expect(await get()).toEqual([200, text]);
  });

  it('without end is an error', async () => {
    pieces = [`HTTP/1.1 100 Continue\r\n${'a: b\r\n'.repeat(20_000)}`];
    await expect(get()).rejects.toMatchObject({ code: expect.any(String) as string });
  });
});
