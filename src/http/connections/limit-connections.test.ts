import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { startGateway, type TestGateway } from '../../../test/support/gateway.ts';

let at: TestGateway;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await at.close();
});

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
}

const ended = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()));

async function listen(settings: Parameters<typeof startGateway>[0] = {}): Promise<number> {
  at = await startGateway({ clientTimeoutMs: 1_000, ...settings });
  return Number(new URL(await at.gateway.listen()).port);
}

describe('clients that are too slow', () => {
  test.each([
    ['headers that never end', 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A: '],
    [
      'a body that never comes',
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    ],
  ])('are let go for %s', async (_what, text) => {
    const socket = await open(await listen());
    socket.resume().write(text);
    await ended(socket);
    expect(socket.destroyed).toBe(true);
  });

  test('are let go when they read nothing of a large answer, and others are served meanwhile', async () => {
    const port = await listen({ maxBodyBytes: 64 * 1024 * 1024 });
    const socket = await open(port);
    socket.pause();
    // The admin app's description of itself, many times over: more than the buffers between us and it take.
    const ask =
      'GET /api/v1/openapi.json HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer a-token-for-tests-only\r\n\r\n';
    for (let i = 0; i < 200; i++) socket.write(ask);
    const gone = ended(socket);
    const status = await new Promise((resolve, reject) => {
      request({ port, host: '127.0.0.1', path: '/healthz' }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .on('error', reject)
        .end();
    });
    expect(status).toBe(200);
    await expect
      .poll(
        () => new Promise((resolve) => at.gateway.app.server.getConnections((_, count) => resolve(count))),
      )
      .toBeLessThanOrEqual(1);
    socket.resume();
    await gone;
  });
});

describe('headers', () => {
  const answerTo = async (headers: string): Promise<string> => {
    const socket = await open(await listen());
    socket.write(`GET /healthz HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`);
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    return text;
  };
  test.each([
    ['two hosts', 'Host: localhost\r\nHost: evil.example\r\n', 400],
    [
      'two ways of signing in',
      'Host: localhost\r\nAuthorization: Bearer a\r\nauthorization: Bearer b\r\n',
      400,
    ],
    ['too many of them', `Host: localhost\r\n${'X-A: b\r\n'.repeat(250)}`, 400],
    ['ordinary ones', 'Host: localhost\r\nX-A: b\r\n', 200],
  ])('are looked at: %s', async (_what, headers, status) => {
    expect(await answerTo(headers)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });
});
