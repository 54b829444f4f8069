import { malformedRequests } from '../../support/servers/malformed-requests.ts';
import type { Row } from '../row.ts';

const jsonHeaders = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const wellFormed: Row['expected'] = {
  status: [200, 202, 400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 0],
};

const legacy = (method: string, params: unknown): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

const methods = [
  'initialize',
  'ping',
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/read',
  'resources/templates/list',
  'resources/subscribe',
  'completion/complete',
  'logging/setLevel',
  'server/discover',
  'subscriptions/listen',
] as const;
const oddParams: readonly [string, unknown][] = [
  ['null', null],
  ['a list', [1, 2]],
  ['a text', 'x'],
  [
    'names of the prototype',
    JSON.parse('{"__proto__":{"a":1},"constructor":{"prototype":{"b":1}},"name":"__proto__"}'),
  ],
  ['a very long name', { name: 'A'.repeat(60_000), uri: 'A'.repeat(60_000), cursor: 'A'.repeat(60_000) }],
  ['numbers for texts', { name: 7, uri: 7, cursor: 7, arguments: 7, level: 7, ref: 7, argument: 7 }],
];

/** JSON-RPC and MCP, bent. */
export const protocol: readonly Row[] = [
  ...malformedRequests.map(({ what, body, headers }, i): Row => ({
    what: `malformed request ${i + 1}: ${what}`,
    way: { by: 'http', method: 'POST', path: '/mcp', headers: { ...jsonHeaders, ...headers }, body },
    expected: wellFormed,
  })),
  ...methods.flatMap((method) =>
    oddParams.map(([what, params]): Row => ({
      what: `${method} with ${what}`,
      way: { by: 'http', method: 'POST', path: '/mcp', headers: jsonHeaders, body: legacy(method, params) },
      expected: wellFormed,
    })),
  ),
  ...(
    [
      ['an id of two kilobytes', `{"jsonrpc":"2.0","id":"${'a'.repeat(2_000)}","method":"ping"}`],
      ['an id of a megabyte', `{"jsonrpc":"2.0","id":"${'a'.repeat(1_000_000)}","method":"ping"}`],
      [
        'a batch of ten thousand',
        `[${Array.from({ length: 10_000 }, (_, i) => `{"jsonrpc":"2.0","id":${i},"method":"ping"}`).join(',')}]`,
      ],
      [
        'a million empty lists',
        `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[${'[],'.repeat(999_999)}[]]}}`,
      ],
      ['a method of a megabyte', `{"jsonrpc":"2.0","id":1,"method":"${'a/'.repeat(500_000)}"}`],
      [
        'a number of a million digits',
        `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${'9'.repeat(1_000_000)}}}`,
      ],
      [
        'a million equal keys',
        `{"jsonrpc":"2.0","id":1,"method":"ping","params":{${'"a":1,'.repeat(400_000)}"a":1}}`,
      ],
      [
        'lone surrogates',
        '{"jsonrpc":"2.0","id":"\\ud800","method":"tools/call","params":{"name":"\\udfff"}}',
      ],
      [
        'more than a body may be',
        `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"${'x'.repeat(5_000_000)}"}}`,
      ],
    ] as const
  ).map(([what, body]): Row => ({
    what,
    way: { by: 'http', method: 'POST', path: '/mcp', headers: jsonHeaders, body },
    expected: wellFormed,
  })),
  ...(
    [
      ['text', { 'content-type': 'text/plain' }],
      ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
      ['several parts', { 'content-type': 'multipart/form-data; boundary=x' }],
      ['JSON in an odd alphabet', { 'content-type': 'application/json; charset=utf-16' }],
      ['a list of types', { 'content-type': 'application/json, text/plain' }],
      ['packed bytes', { 'content-type': 'application/json', 'content-encoding': 'gzip' }],
      ['a page elsewhere', { 'content-type': 'application/json', origin: 'https://evil.example' }],
      ['no origin at all', { 'content-type': 'application/json', origin: 'null' }],
      ['a cross-site form', { 'content-type': 'application/json', 'sec-fetch-site': 'cross-site' }],
      ['a session that is none', { ...jsonHeaders, 'mcp-session-id': 'x'.repeat(5_000) }],
      [
        'a forged session',
        {
          ...jsonHeaders,
          'mcp-session-id': `${Buffer.from('{"v":1}').toString('base64url')}.${'A'.repeat(43)}`,
        },
      ],
      ['an event id that is none', { ...jsonHeaders, 'last-event-id': '\u00ff'.repeat(3_000) }],
      ['a revision that is none', { ...jsonHeaders, 'mcp-protocol-version': '9999-99-99' }],
      [
        'a method that the body does not name',
        { ...jsonHeaders, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/destroy' },
      ],
      ['a trace that is none', { ...jsonHeaders, traceparent: `00-${'g'.repeat(32)}-${'h'.repeat(16)}-zz` }],
    ] as [string, Record<string, string>][]
  ).map(([what, headers]): Row => ({
    what: `a body sent as ${what}`,
    way: { by: 'http', method: 'POST', path: '/mcp', headers, body: legacy('tools/list', {}) },
    expected: wellFormed,
  })),
  ...['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].flatMap((method) =>
    ['/mcp', '/mcp/tools/list', '/mcp/tools/call', '/mcp/nowhere'].map((path): Row => ({
      what: `${method} ${path}`,
      way: { by: 'http', method, path, headers: { accept: 'application/json' } },
      expected: wellFormed,
    })),
  ),
];
