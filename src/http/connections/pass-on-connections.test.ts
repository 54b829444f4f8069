import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { passOnUnused } from './pass-on-connections.ts';

const closers: (() => void)[] = [];
afterEach(() => closers.splice(0).forEach((close) => close()));

/** A server that answers when it is told to, and a client that has sent it something. */
async function connected(sent: string) {
  const open = new Set<Socket>();
  const answers: ServerResponse[] = [];
  const server = createServer((request, response) => {
    if (request.url === '/later') answers.push(response);
    else request.on('end', () => response.end('here')).resume();
  });
  server.on('connection', (socket) => open.add(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let received = '';
  client.on('data', (chunk: Buffer) => (received += chunk.toString()));
  closers.push(() => {
    client.destroy();
    server.closeAllConnections();
    server.close();
  });
  client.write(sent);
  await expect.poll(() => [...open][0]?.bytesRead).toBe(sent.length);
  return { open, client, answers, received: () => received };
}

function handedOn(open: ReadonlySet<Socket>): number {
  let count = 0;
  passOnUnused(open, () => count++);
  return count;
}

it.each([
  ['the beginning of a request', 'GET / HTTP/1.1\r\nHo'],
  ['a request without all of its body', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n123'],
  ['a request that has no answer yet', 'GET /later HTTP/1.1\r\nhost: x\r\n\r\n'],
])('keeps a connection with %s', async (_, sent) => {
  const { open } = await connected(sent);
  expect(handedOn(open)).toBe(0);
});

it('hands on a connection on which nothing was sent yet', async () => {
  const { open } = await connected('');
  expect(handedOn(open)).toBe(1);
});

it('hands on a connection once its request is answered, and reads nothing more of it', async () => {
  const { open, client, answers, received } = await connected('GET /later HTTP/1.1\r\nhost: x\r\n\r\n');
  await expect.poll(() => answers.length).toBe(1);
  expect(handedOn(open)).toBe(0);
  answers[0]!.end('here');
  await expect.poll(received).toContain('here');
  await expect.poll(() => handedOn(open)).toBe(1);
  const [socket] = open;
  const { bytesRead } = socket!;
  await new Promise<void>((resolve) => client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n', () => resolve()));
  // Another connection's whole exchange comes after it.
  await connected('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  expect(socket!.bytesRead).toBe(bytesRead);
});

it('keeps nothing of a connection whose client has left', async () => {
  const { open, client } = await connected('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  const [socket] = open;
  client.destroy();
  await once(socket!, 'close');
  expect(handedOn(open)).toBe(0);
});
