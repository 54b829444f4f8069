import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../config/load-config.ts';
import { HandrailError } from '../domain/errors.ts';
import { createRouter } from './router.ts';

const logged: string[] = [];
const log = pino(
  new Writable({
    write(line: Buffer, _encoding, done) {
      logged.push(line.toString());
      done();
    },
  }),
);
let router: FastifyInstance;
let port: number;

beforeAll(async () => {
  router = createRouter({ config: loadConfig({ flags: { maxBodyBytes: 2_000 } }), log });
  router.post('/echo', ({ body }) => ({ bytes: body instanceof Uint8Array ? body.length : null }));
  router.get('/ours', () => {
    throw new HandrailError('conflict', 'Somebody else was first.');
  });
  router.get('/bug', () => {
    throw new Error('the password is hunter2, in /home/secret');
  });
  router.get<{ Params: { name: string } }>('/things/:name', ({ params }) => ({ name: params.name }));
  await router.listen({ host: '127.0.0.1', port: 0 });
  ({ port } = router.server.address() as AddressInfo);
});
afterAll(() => router.close());

/** Sends bytes as they are, which no client library would, and reads the answer. */
function send(text: string): Promise<{ status: number; body: { code?: string; detail?: string } }> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.end(text));
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    socket.on('error', reject);
    socket.on('close', () => {
      const body = answer.slice(answer.indexOf('\r\n\r\n') + 4);
      resolve({
        status: Number(answer.split(' ')[1]),
        body: body.startsWith('{') ? (JSON.parse(body) as { code?: string }) : {},
      });
    });
  });
}

const head = 'Host: localhost\r\nConnection: close\r\n';

describe('what goes wrong', () => {
  it.each([
    [
      'a path that is not there',
      `GET /nothing?a=1 HTTP/1.1\r\n${head}\r\n`,
      404,
      'not_found',
      'There is nothing at GET /nothing.',
    ],
    [
      'a method that is not there',
      `DELETE /echo HTTP/1.1\r\n${head}\r\n`,
      404,
      'not_found',
      'There is nothing at DELETE /echo.',
    ],
    [
      'a URL that cannot be decoded',
      `GET /things/%ff HTTP/1.1\r\n${head}\r\n`,
      400,
      'invalid_request',
      'The URL is not well-formed.',
    ],
    [
      'a body that is too large',
      `POST /echo HTTP/1.1\r\n${head}Content-Length: 2001\r\n\r\n`,
      413,
      'payload_too_large',
      'HANDRAIL_MAX_BODY_BYTES',
    ],
    [
      'a chunked body that is too large',
      `POST /echo HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n7d1\r\n${'x'.repeat(2_001)}\r\n0\r\n\r\n`,
      413,
      'payload_too_large',
      'HANDRAIL_MAX_BODY_BYTES',
    ],
    [
      'a header that is too long',
      `GET /things/one HTTP/1.1\r\n${head}X-Long: ${'x'.repeat(17_000)}\r\n\r\n`,
      431,
      'invalid_request',
      'larger than 16 kB',
    ],
    ['what is no HTTP', `HELO there\r\n\r\n`, 400, 'invalid_request', 'The request is not well-formed.'],
    ['an error of ours', `GET /ours HTTP/1.1\r\n${head}\r\n`, 409, 'conflict', 'Somebody else was first.'],
    ['a bug', `GET /bug HTTP/1.1\r\n${head}\r\n`, 500, 'internal', 'Its log has the details'],
  ])('%s is a problem in our words', async (_what, request, status, code, detail) => {
    const answer = await send(request);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(answer.body.detail).toContain(detail);
    expect(JSON.stringify(answer.body)).not.toContain('hunter2');
  });

  it('is in the log when it is a bug, and only then', () => {
    const failures = logged.filter((line) => line.includes('request failed'));
    expect(failures).toHaveLength(1);
    expect(failures[0]).toContain('/home/secret');
  });
});

it.each([
  [
    'a body',
    `POST /echo HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{x`,
    { bytes: 2 },
  ],
  [
    'a body of any type',
    `POST /echo HTTP/1.1\r\n${head}Content-Type: a/b\r\nContent-Length: 2\r\n\r\n{x`,
    { bytes: 2 },
  ],
  ['a trailing slash', `GET /things/one/ HTTP/1.1\r\n${head}\r\n`, { name: 'one' }],
  ['a long name', `GET /things/${'x'.repeat(500)} HTTP/1.1\r\n${head}\r\n`, { name: 'x'.repeat(500) }],
])('leaves %s to the route, as bytes', async (_what, request, expected) => {
  expect(await send(request)).toEqual({ status: 200, body: expected });
});

it('has no schemas, so that nothing of Fastify checks input', async () => {
  const other = createRouter({ config: loadConfig({ flags: {} }), log });
  other.post('/', { schema: { body: { type: 'object' } } }, () => ({}));
  await expect(other.ready()).rejects.toThrow('Routes have no Fastify schemas');
});
