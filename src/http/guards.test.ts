import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { toHandrailError } from '../domain/errors.ts';
import { createGuards, type GuardOptions } from './guards.ts';

const onLoopback: GuardOptions = {
  host: '127.0.0.1',
  publicUrl: undefined,
  allowedHosts: [],
  allowedOrigins: [],
};
const onNetwork: GuardOptions = { ...onLoopback, host: '0.0.0.0' };
const published: GuardOptions = { ...onLoopback, publicUrl: 'https://tools.example.com' };
const named: GuardOptions = {
  ...onLoopback,
  allowedHosts: ['Gateway.internal'],
  allowedOrigins: ['https://App.example.com'],
};

let server: Server | null = null;
afterEach(() => {
  server?.close();
  server?.closeAllConnections();
  server = null;
});

/** What the guards say of a request as Node reads it: null when it may pass. */
async function ask(
  options: GuardOptions,
  headers: readonly (readonly [name: string, value: string])[],
  method = 'GET',
): Promise<{ refused: { code: string; message: string } | null; cors: string | null }> {
  const guards = createGuards(options);
  server = createServer((req: IncomingMessage, res) => {
    let refused: { code: string; message: string } | null = null;
    try {
      guards.check(req);
    } catch (error) {
      const { code, message } = toHandrailError(error);
      refused = { code, message };
    }
    res.end(JSON.stringify({ refused, cors: guards.corsOrigin(req) }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const req = request({ port, host: '127.0.0.1', method, setHost: false, headers: headers.flat() });
  req.end();
  const [res] = (await once(req, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of res) text += String(chunk);
  return JSON.parse(text) as Awaited<ReturnType<typeof ask>>;
}

describe('the Host header', () => {
  it.each([
    [onLoopback, 'localhost', true],
    [onLoopback, 'localhost:8080', true],
    [onLoopback, 'LOCALHOST:8080', true],
    [onLoopback, '127.0.0.1:1', true],
    [onLoopback, '[::1]:8080', true],
    [onLoopback, 'evil.example', false],
    [onLoopback, 'localhost.evil.example', false],
    [onLoopback, '127.0.0.1.evil.example', false],
    [onLoopback, '127.0.0.1:80:80', false],
    [onLoopback, '192.168.1.7', false],
    [onLoopback, '', false],
    [onNetwork, '192.168.1.7:8080', true],
    [onNetwork, '[2001:db8::1]:8080', true],
    [onNetwork, 'rebound.example', false],
    [published, 'tools.example.com', true],
    [published, 'TOOLS.example.com:443', true],
    [published, 'other.example.com', false],
    [named, 'gateway.internal', true],
    [named, 'gateway.internal:9000', true],
    [named, 'internal', false],
  ])('%o named "%s": %s', async (options, host, passes) => {
    const { refused } = await ask(options, [['Host', host]]);
    expect(refused?.code ?? null).toBe(passes ? null : 'forbidden');
  });
});

describe('a page of', () => {
  it.each([
    [onLoopback, 'localhost:8080', 'http://localhost:8080', true],
    [onLoopback, 'localhost:8080', 'http://127.0.0.1:8080', true],
    [onLoopback, 'localhost:8080', 'http://localhost:3000', false],
    [onLoopback, 'localhost:8080', 'http://localhost', false],
    [onLoopback, 'localhost:8080', 'https://evil.example', false],
    [onLoopback, 'localhost:8080', 'null', false],
    [onLoopback, 'localhost:8080', 'not a url', false],
    [onNetwork, '192.168.1.7:8080', 'http://192.168.1.7:8080', true],
    [onNetwork, '192.168.1.7:8080', 'http://localhost:8080', false],
    [published, 'tools.example.com', 'https://tools.example.com', true],
    [published, 'localhost:8080', 'https://tools.example.com', true],
    [published, 'tools.example.com', 'https://other.example.com', false],
    [named, 'localhost:8080', 'https://app.example.com', true],
    [named, 'localhost:8080', 'https://app.example.com.evil.example', false],
  ])('%o at %s from %s: %s', async (options, host, origin, passes) => {
    const { refused, cors } = await ask(options, [
      ['Host', host],
      ['Origin', origin],
    ]);
    expect([refused?.code ?? null, cors]).toEqual(passes ? [null, origin] : ['forbidden', null]);
  });
});

describe('a request without an origin', () => {
  it.each([
    ['from a program', [], true],
    ['from the same site', [['Sec-Fetch-Site', 'same-origin']], true],
    ['from another site', [['Sec-Fetch-Site', 'cross-site']], false],
    [
      'from an image of another site',
      [
        ['Sec-Fetch-Site', 'cross-site'],
        ['Sec-Fetch-Mode', 'no-cors'],
      ],
      false,
    ],
    [
      'from a link of another site',
      [
        ['Sec-Fetch-Site', 'cross-site'],
        ['Sec-Fetch-Mode', 'navigate'],
      ],
      true,
    ],
  ] as const)('%s', async (_from, headers, passes) => {
    const { refused, cors } = await ask(onLoopback, [['Host', 'localhost'], ...headers]);
    expect([refused?.code ?? null, cors]).toEqual([passes ? null : 'forbidden', null]);
  });
});

describe('a body', () => {
  it.each([
    ['JSON', [['Content-Type', 'application/json']], null],
    ['JSON with its charset', [['Content-Type', 'Application/JSON; charset="UTF-8"']], null],
    ['of no type', [], 'unsupported_media_type'],
    ['that a form can send', [['Content-Type', 'text/plain']], 'unsupported_media_type'],
    ['that is nearly JSON', [['Content-Type', 'application/json-patch+json']], 'unsupported_media_type'],
    ['in another charset', [['Content-Type', 'application/json; charset=utf-16']], 'unsupported_media_type'],
    [
      'packed',
      [
        ['Content-Type', 'application/json'],
        ['Content-Encoding', 'gzip'],
      ],
      'unsupported_media_type',
    ],
    [
      'said not to be packed',
      [
        ['Content-Type', 'application/json'],
        ['Content-Encoding', 'identity'],
      ],
      null,
    ],
  ] as const)('%s', async (_what, headers, code) => {
    const chunked = await ask(
      onLoopback,
      [['Host', 'localhost'], ['Transfer-Encoding', 'chunked'], ...headers],
      'POST',
    );
    expect(chunked.refused?.code ?? null).toBe(code);
  });

  it('of no length needs no type', async () => {
    const { refused } = await ask(
      onLoopback,
      [
        ['Host', 'localhost'],
        ['Content-Length', '0'],
      ],
      'POST',
    );
    expect(refused).toBeNull();
  });
});

describe('headers that can be read in two ways', () => {
  it.each([
    [
      'two keys',
      [
        ['Authorization', 'Bearer a'],
        ['authorization', 'Bearer b'],
      ],
      'Send the header Authorization only once.',
    ],
    ['two hosts', [['host', 'evil.example']], 'Send the header Host only once.'],
    [
      'too many',
      Array.from({ length: 200 }, (_, i) => [`x-${i}`, '1'] as const),
      'The request has too many headers. Send at most 200.',
    ],
  ] as const)('%s are refused', async (_what, headers, message) => {
    const { refused } = await ask(onLoopback, [['Host', 'localhost'], ['Connection', 'close'], ...headers]);
    expect(refused).toEqual({ code: 'invalid_request', message });
  });
});
