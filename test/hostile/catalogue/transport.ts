import { anyRefusal, type Row } from '../row.ts';

const post = (headers: string, body = ''): string =>
  `POST /mcp HTTP/1.1\r\nHost: localhost\r\n${headers}Connection: close\r\n\r\n${body}`;
const json = 'Content-Type: application/json\r\n';

/** What is no request, or only half of one. */
export const transport: readonly Row[] = [
  ...(
    [
      ['nothing but a line break', '\r\n\r\n'],
      ['binary noise', Buffer.from(Array.from({ length: 512 }, (_, i) => (i * 37) % 256))],
      ['a TLS greeting', Buffer.from('160301020001fc0303', 'hex')],
      ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
      ['HTTP/0.9', 'GET /\r\n'],
      ['HTTP/3.7', 'GET / HTTP/3.7\r\nHost: localhost\r\n\r\n'],
      ['a method that does not exist', 'STEAL / HTTP/1.1\r\nHost: localhost\r\n\r\n'],
      ['a space before the colon', 'GET / HTTP/1.1\r\nHost : localhost\r\n\r\n'],
      ['a folded header', 'GET / HTTP/1.1\r\nHost: localhost\r\nX-A: b\r\n c\r\n\r\n'],
      ['a NUL in a header', 'GET / HTTP/1.1\r\nHost: localhost\r\nX-A: b\0c\r\n\r\n'],
      ['a bare carriage return', 'GET / HTTP/1.1\r\nHost: localhost\r\nX-A: b\rX-C: d\r\n\r\n'],
      ['no host', 'GET /healthz HTTP/1.1\r\n\r\n'],
      ['two lengths', post(`${json}Content-Length: 2\r\nContent-Length: 3\r\n`, '{}')],
      [
        'a length and chunks',
        post(`${json}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n`, '0\r\n\r\n'),
      ],
      ['a length that is no number', post(`${json}Content-Length: two\r\n`, '{}')],
      ['a negative length', post(`${json}Content-Length: -1\r\n`, '{}')],
      ['a length beyond all numbers', post(`${json}Content-Length: 99999999999999999999\r\n`, '{}')],
      [
        'a chunk size that is no number',
        post(`${json}Transfer-Encoding: chunked\r\n`, 'zz\r\n{}\r\n0\r\n\r\n'),
      ],
      [
        'a chunk size beyond all numbers',
        post(`${json}Transfer-Encoding: chunked\r\n`, 'ffffffffffffffffff\r\n{}'),
      ],
      [
        'a chunk extension without end',
        post(`${json}Transfer-Encoding: chunked\r\n`, `2;${'a'.repeat(70_000)}\r\n{}\r\n0\r\n\r\n`),
      ],
      ['an encoding nobody knows', post(`${json}Transfer-Encoding: gzip, chunked\r\n`, '0\r\n\r\n')],
      ['chunks within chunks', post(`${json}Transfer-Encoding: chunked, chunked\r\n`, '0\r\n\r\n')],
      [
        'a header of a megabyte',
        `GET / HTTP/1.1\r\nHost: localhost\r\nX-A: ${'a'.repeat(1_000_000)}\r\n\r\n`,
      ],
      ['a request line of a megabyte', `GET /${'a'.repeat(1_000_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`],
      [
        'a thousand headers',
        `GET /healthz HTTP/1.1\r\nHost: localhost\r\n${'X-A: b\r\n'.repeat(1_000)}Connection: close\r\n\r\n`,
      ],
      [
        'two hosts',
        'GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      ],
      ['another host', 'GET /healthz HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n'],
      ['a host with a user', 'GET /healthz HTTP/1.1\r\nHost: a@localhost\r\nConnection: close\r\n\r\n'],
      ['a host with a path', 'GET /healthz HTTP/1.1\r\nHost: localhost/x\r\nConnection: close\r\n\r\n'],
      [
        'an absolute target of another host',
        'GET http://evil.example/mcp HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
      ],
      ['CONNECT', 'CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: localhost\r\n\r\n'],
      ['TRACE', 'TRACE / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'],
      [
        'an upgrade',
        'GET /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n\r\n',
      ],
      ['an expectation', post(`${json}Content-Length: 2\r\nExpect: miracles\r\n`, '{}')],
    ] as const
  ).map(([what, bytes]): Row => ({
    what,
    way: { by: 'socket', bytes, halfClose: true },
    expected: anyRefusal,
  })),
  ...[
    '/..',
    '/../../etc/passwd',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/admin/../../package.json',
    '/admin/%2e%2e%2f%2e%2e%2fpackage.json',
    '/admin/..%5c..%5cpackage.json',
    '//evil.example/',
    '/%00',
    '/%',
    '/%zz',
    '/admin/%00.js',
    '/explorer/..%2fdefault',
    `/mcp/${'a'.repeat(5_000)}`,
    '/mcp/default/../../x',
    '/mcp/DEFAULT',
    '/mcp/%64efault%00',
    '/.well-known/oauth-protected-resource/mcp/../x',
    '/icons/../../etc/passwd',
    '/api/v1/../../x',
    '/api/v1/tools/%2e%2e',
    '/api/v1/tools/__proto__',
    '/api/v1/apis/constructor',
    '/explorer/__proto__',
    '/mcp/__proto__',
    '/mcp/constructor',
  ].map((path): Row => ({
    what: `the path ${path.slice(0, 60)}`,
    way: { by: 'http', method: 'GET', path },
    // A page of the app stands for every path below it; what counts is that no file of the machine comes out.
    expected: { status: [200, 301, 302, 307, 308, 400, 401, 403, 404, 405, 406, 414] },
  })),
];
