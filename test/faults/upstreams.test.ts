import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { json, serveHttp, serveTcp, type TestServer } from '../support/servers/http-server.ts';
import { lastingPort } from '../support/servers/lasting-port.mjs';
import { type FaultyGateway, makeFolder, saidBy, startFaulty } from './faulty-gateway.ts';

const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n';
/** Ends what only ends when its time is over. */
const soon = { totalTimeoutMs: 2_000, firstByteTimeoutMs: 2_000 };

const raw = (bytes: string | Buffer) => () =>
  serveTcp((socket) => socket.once('data', () => socket.end(bytes)));
/** Sends for as long as anyone takes it. */
const endless = (first: string, piece: string) => () =>
  serveTcp((socket) =>
    socket.once('data', () => {
      const more = (): void => {
        while (!socket.destroyed && socket.write(piece));
      };
      socket.on('drain', more);
      socket.write(first);
      more();
    }),
  );
const every = (ms: number, socket: Socket, write: () => void): void => {
  const timer = setInterval(write, ms);
  socket.on('close', () => clearInterval(timer));
};

interface Fault {
  readonly serve: () => Promise<Pick<TestServer, 'origin' | 'close'>>;
  /** What the caller is told; null where the reply is taken as it is. */
  readonly says: RegExp | null;
  readonly limits?: object;
}

const faults: Readonly<Record<string, Fault>> = {
  'is not there': {
    serve: async () => ({ origin: `http://127.0.0.1:${await lastingPort()}`, close: async () => {} }),
    says: /refuses connections/,
  },
  'has a name that nobody knows': {
    serve: async () => ({ origin: 'http://api.nowhere.invalid', close: async () => {} }),
    says: /name|found|resolve/i,
  },
  'takes the request and says nothing': { serve: () => serveTcp(() => {}), says: /time/i, limits: soon },
  'sends a head and then nothing': {
    serve: () =>
      serveTcp((socket) => socket.once('data', () => socket.write(`${head}content-length: 5\r\n\r\n`))),
    says: /time/i,
    limits: soon,
  },
  'drips its body': {
    serve: () =>
      serveTcp((socket) =>
        socket.once('data', () => {
          socket.write(`${head}content-length: 100000\r\n\r\n`);
          every(20, socket, () => socket.write('x'));
        }),
      ),
    says: /time/i,
    limits: soon,
  },
  'drips its headers': {
    serve: () =>
      serveTcp((socket) =>
        socket.once('data', () => {
          socket.write('HTTP/1.1 200 OK\r\n');
          every(20, socket, () => socket.write('x-a: b\r\n'));
        }),
      ),
    says: /time|headers/i,
    limits: soon,
  },
  'closes without a word': {
    serve: () => serveTcp((socket) => socket.once('data', () => socket.end())),
    says: /closed the connection/,
  },
  'resets the connection': {
    serve: () => serveTcp((socket) => socket.once('data', () => socket.resetAndDestroy())),
    says: /closed the connection|reset/i,
  },
  'resets in the middle of a body': {
    serve: () =>
      serveTcp((socket) =>
        socket.once('data', () =>
          socket.write(`${head}content-length: 100\r\n\r\nhalf`, () => socket.resetAndDestroy()),
        ),
      ),
    says: /closed the connection|reset/i,
  },
  'sends less than its length': {
    serve: raw(`${head}content-length: 100\r\n\r\nhalf`),
    says: /closed the connection|not valid HTTP/,
  },
  'sends more than its length': {
    serve: raw(`${head}content-length: 4\r\nconnection: close\r\n\r\nfineHTTP/1.1 200 OK\r\n\r\npoison`),
    says: null,
  },
  'sends two lengths': {
    serve: raw(`${head}content-length: 3\r\ncontent-length: 5\r\n\r\nabcde`),
    says: /not valid HTTP|closed the connection/,
  },
  'sends a length that is none': {
    serve: raw(`${head}content-length: many\r\n\r\nabc`),
    says: /not valid HTTP|closed the connection/,
  },
  'sends headers without end': {
    serve: endless('HTTP/1.1 200 OK\r\n', 'x-a: b\r\n'.repeat(1_000)),
    says: /headers larger|not valid HTTP/,
  },
  'sends one header without end': {
    serve: endless('HTTP/1.1 200 OK\r\nx-a: ', 'b'.repeat(10_000)),
    says: /headers larger|not valid HTTP/,
  },
  'sends a body without end': {
    serve: endless(
      'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n',
      `2710\r\n${'x'.repeat(10_000)}\r\n`,
    ),
    says: /larger than the limit/,
  },
  'sends chunks that are none': {
    serve: raw(`${head}transfer-encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n`),
    says: /not valid HTTP|closed the connection/,
  },
  'ends in the middle of a chunk': {
    serve: raw(`${head}transfer-encoding: chunked\r\n\r\nffff\r\nabc`),
    says: /not valid HTTP|closed the connection/,
  },
  'says gzip and is not': {
    serve: raw(`${head}content-encoding: gzip\r\ncontent-length: 8\r\nconnection: close\r\n\r\nnot gzip`),
    says: /cannot be decompressed/,
  },
  'packs a gigabyte into a megabyte': {
    serve: async () => {
      const bomb = gzipSync(Buffer.alloc(100_000_000));
      return serveHttp((_request, response) => response.setHeader('content-encoding', 'gzip').end(bomb));
    },
    says: /larger than the limit/,
  },
  'speaks HTTP/1.0': { serve: raw('HTTP/1.0 200 OK\r\ncontent-type: text/plain\r\n\r\nfine'), says: null },
  'leaves out the status': { serve: raw('HTTP/1.1 \r\n\r\n'), says: /not valid HTTP|closed the connection/ },
  'sends a status that is none': {
    serve: raw('HTTP/1.1 9999 Odd\r\n\r\n'),
    says: /not valid HTTP|closed the connection|HTTP 999/,
  },
  'answers 100 without end': {
    serve: endless('', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(100)),
    says: /time|not valid HTTP|headers/i,
    limits: soon,
  },
  'speaks something else': {
    serve: raw('SSH-2.0-OpenSSH_9.6\r\n'),
    says: /not valid HTTP|closed the connection/,
  },
  'speaks HTTP where TLS is wanted': {
    serve: async () => {
      const server = await serveHttp((_request, response) => json(response, 200, {}));
      return { origin: server.origin.replace('http:', 'https:'), close: () => server.close() };
    },
    says: /TLS|certificate|secure|not valid HTTP/i,
  },
  'has no certificate that fits': {
    serve: serveTlsWithoutCertificate,
    says: /TLS|certificate|secure|handshake/i,
  },
};

// A TLS server that has nothing to show refuses every handshake.
async function serveTlsWithoutCertificate() {
  const server = createTlsServer({});
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}

const folder = makeFolder();
let gateway: FaultyGateway;
let control: TestServer;
beforeAll(async () => {
  control = await serveHttp((_request, response) => json(response, 200, { fine: true }));
  gateway = await startFaulty(folder.path);
  await gateway.register('control', control.origin);
});
afterAll(async () => {
  expect(await gateway.stop()).toBe(0);
  await control.close();
  folder.remove();
});

describe('an API that breaks costs its own callers their answer, and nobody a record', () => {
  test.each(Object.entries(faults))('one that %s', async (name, { serve, says, limits }) => {
    const api = await serve();
    const slug = name.replace(/[^a-z0-9]+/g, '-').slice(0, 40);
    try {
      await gateway.register(slug, api.origin, {
        retries: 0,
        breakerFailures: 0,
        maxReplyBytes: 1_000_000,
        totalTimeoutMs: 120_000,
        ...limits,
      });
      const before = await gateway.recorded('control');
      const bad = Array.from({ length: 3 }, () => gateway.call(slug));
      for (const told of await Promise.all(Array.from({ length: 3 }, () => gateway.call('control'))))
        expect(saidBy(told)).toEqual({ failed: false, text: '{"fine":true}' });
      for (const told of await Promise.all(bad)) {
        const { failed, text } = saidBy(told);
        expect(failed, text.slice(0, 300)).toBe(says !== null);
        expect(text).toMatch(says ?? /^fine$/);
        expect(text).not.toMatch(/node_modules|\.[jt]s:\d|UND_ERR|undefined|poison/);
      }
      // Lost: nothing of the others, and of these a record each.
      await expect.poll(() => gateway.recorded(slug)).toBe(3);
      await expect.poll(() => gateway.recorded('control')).toBe(before + 3);
    } finally {
      await api.close();
    }
  });
});
