import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { drain, listenOn, urlHost } from './listening.ts';

describe('listening', () => {
  it('tells where, on a free port', async () => {
    const app = Fastify();
    const url = await listenOn(app, { host: '127.0.0.1', port: 0 });
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await fetch(url)).status).toBe(404);
    await app.close();
  });

  it('says what to do about a port that is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const app = Fastify();
    await expect(listenOn(app, { host: '127.0.0.1', port })).rejects.toMatchObject({
      code: 'config_invalid',
      message: `Port ${port} is in use. Stop the program that uses it, or choose another port: --port ${port + 1} (or --port 0 for any free one).`,
    });
    await app.close();
    other.close();
  });

  it.each(['203.0.113.9', 'no-such-host.invalid'])(
    'says that this machine has no address "%s"',
    async (host) => {
      const app = Fastify();
      await expect(listenOn(app, { host, port: 0 })).rejects.toMatchObject({
        code: 'config_invalid',
        message: `This machine has no address "${host}" to listen on.`,
      });
      await app.close();
    },
  );
});

it.each([
  ['127.0.0.1', '127.0.0.1'],
  ['0.0.0.0', 'localhost'],
  ['::', 'localhost'],
  ['::1', '[::1]'],
  ['tools.example.com', 'tools.example.com'],
])('is reached at %s as %s', (host, shown) => {
  expect(urlHost(host)).toBe(shown);
});

describe('draining', () => {
  async function start() {
    const app = Fastify({ forceCloseConnections: true });
    let arrived!: () => void;
    let answer!: () => void;
    const asked = new Promise<void>((resolve) => (arrived = resolve));
    const allowed = new Promise<void>((resolve) => (answer = resolve));
    app.get('/slow', async () => {
      arrived();
      await allowed;
      return 'done';
    });
    app.get('/', () => 'here');
    const url = await listenOn(app, { host: '127.0.0.1', port: 0 });
    return { app, url, asked, answer };
  }

  it('lets a running request finish, and takes no new one', async () => {
    const { app, url, asked, answer } = await start();
    const running = fetch(`${url}/slow`);
    await asked;
    const drained = drain(app, 60_000);
    const isRefused = () =>
      fetch(url, { headers: { connection: 'close' } }).then(
        () => false,
        () => true,
      );
    await expect.poll(isRefused).toBe(true);
    answer();
    expect(await (await running).text()).toBe('done');
    await drained;
  });

  it('lets go of a connection that is merely kept', async () => {
    const { app, url } = await start();
    await (await fetch(url)).text();
    await drain(app, 60_000);
    expect(app.server.listening).toBe(false);
  });

  it('ends a request that takes longer than it is given', async () => {
    const { app, url, asked, answer } = await start();
    const running = fetch(`${url}/slow`).then(
      () => 'answered',
      () => 'cut',
    );
    await asked;
    const drained = drain(app, 50);
    expect(await running).toBe('cut');
    answer();
    await drained;
  });

  it('is nothing for what never listened', async () => {
    const app = Fastify();
    await drain(app, 60_000);
    expect(app.server.listening).toBe(false);
  });
});
