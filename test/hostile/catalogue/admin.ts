import type { Row } from '../row.ts';

const bodies: readonly [string, string][] = [
  ['nothing', ''],
  ['null', 'null'],
  ['a list', '[]'],
  ['a text', '"x"'],
  ['an empty object', '{}'],
  ['JSON that ends early', '{"a":'],
  ['a key twice', '{"slug":"a","slug":"b","name":"a","name":"b"}'],
  ['names of the prototype', '{"__proto__":{"role":"owner"},"constructor":{"prototype":{}},"slug":"x1"}'],
  ['fields nobody knows', '{"isAdmin":true,"revision":99,"id":"tool_x"}'],
  [
    'numbers for texts',
    '{"slug":1,"name":2,"baseUrl":3,"description":4,"api":5,"text":6,"token":7,"password":8,"policy":9,"tools":10,"operation":11,"fields":12,"role":13}',
  ],
  ['nesting', `{"operation":${'{"a":'.repeat(60)}1${'}'.repeat(60)}}`],
  [
    'a very long text',
    JSON.stringify({
      slug: 'a'.repeat(100_000),
      name: 'A'.repeat(100_000),
      baseUrl: `https://${'a'.repeat(100_000)}.example`,
      description: '\u202e'.repeat(50_000),
    }),
  ],
];

const writes: readonly [string, string][] = [
  ['POST', '/apis'],
  ['PATCH', '/apis/hostile'],
  ['POST', '/tools'],
  ['PATCH', '/tools/probe'],
  ['POST', '/tools/probe/call'],
  ['POST', '/tools/probe/shape-preview'],
  ['POST', '/tools/probe/preview'],
  ['POST', '/tool-drafts/preview'],
  ['POST', '/servers'],
  ['PATCH', '/servers/default'],
  ['POST', '/keys'],
  ['POST', '/credentials'],
  ['POST', '/people'],
  ['POST', '/imports'],
  ['PATCH', '/settings'],
  ['POST', '/session'],
  ['POST', '/setup'],
  ['POST', '/invitation/accept'],
];

const reads = [
  '/calls?limit=-1',
  '/calls?limit=999999999',
  '/calls?cursor=%00',
  '/calls?cursor=AAAA',
  `/calls?search=${'a'.repeat(5_000)}`,
  '/calls?search=%25%5F%5C',
  '/calls?from=yesterday',
  '/calls?from=9999999999999999',
  '/audit?cursor=x',
  '/audit?search=%27%3B--',
  '/tools?cursor=tool_x',
  '/tools?search=%00',
  '/analytics?from=x',
  '/tools/__proto__',
  '/servers/..%2f',
  '/keys/constructor',
  '/calls/%2e%2e',
  '/calls/export?format=x',
];

const policies = [
  '{"kind":"key","header":"Host"}',
  '{"kind":"oauth","issuer":"file:///etc"}',
  '{"kind":"open","extra":1}',
  '{"kind":"magic"}',
  'null',
];
const odd = [
  '{"path":5}',
  '{"path":"http://[","everyMs":60000}',
  '{"path":"http://evil.example/","everyMs":60000}',
  '{"path":"/","everyMs":0}',
  '[]',
];

const anyAnswer: Row['expected'] = {
  status: [200, 201, 204, 400, 401, 403, 404, 405, 409, 412, 413, 415, 422, 429],
};

/** What somebody with the rights of an editor sends to the admin API. */
export const hostileAdmin: readonly Row[] = [
  ...writes.flatMap(([method, path]) =>
    bodies.map(([what, body]): Row => ({
      what: `${method} ${path} with ${what}`,
      way: { by: 'admin', method, path, body },
      expected: anyAnswer,
    })),
  ),
  ...reads.map((path): Row => ({
    what: `GET ${path.slice(0, 60)}`,
    way: { by: 'admin', method: 'GET', path, body: '' },
    expected: anyAnswer,
  })),
  ...policies.map((policy): Row => ({
    what: `a server with the policy ${policy}`,
    way: {
      by: 'admin',
      method: 'POST',
      path: '/servers',
      body: `{"slug":"odd-policy","tools":"*","policy":${policy}}`,
    },
    expected: { status: [400, 422] },
  })),
  ...[
    'https://evil.example/',
    '\\t//evil.example',
    'ftp:evil.example',
    '\\\\\\\\evil.example',
    '/\\\\/evil.example',
  ].map((path): Row => ({
    what: `a probe of another host: ${path}`,
    way: {
      by: 'admin',
      method: 'POST',
      path: '/apis',
      body: `{"slug":"odd-probe","baseUrl":"https://api.example.com","probe":{"path":"${path}","everyMs":60000}}`,
    },
    expected: { status: [422] },
  })),
  ...odd.map((probe): Row => ({
    what: `an API with the probe ${probe}`,
    way: {
      by: 'admin',
      method: 'POST',
      path: '/apis',
      body: `{"slug":"odd-probe","baseUrl":"https://api.example.com","probe":${probe}}`,
    },
    expected: { status: [400, 422] },
  })),
  ...[
    'http://[',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://a:b@c.example',
    '',
    'https://c.example/#x',
    ' https://c.example\r\nX: y',
  ].map((baseUrl): Row => ({
    what: `an API at ${JSON.stringify(baseUrl)}`,
    way: {
      by: 'admin',
      method: 'POST',
      path: '/apis',
      body: JSON.stringify({ slug: 'odd-address', baseUrl }),
    },
    expected: { status: [201, 400, 409, 422] },
  })),
  ...['TRACE', 'CONNECT', 'GET\r\nX: y', '', 'get /', 'A'.repeat(11)].map((method): Row => ({
    what: `a tool with the method ${JSON.stringify(method)}`,
    way: {
      by: 'admin',
      method: 'POST',
      path: '/tools',
      body: JSON.stringify({
        api: 'hostile',
        name: 'odd_method',
        description: 'x',
        operation: { method, path: '/x' },
      }),
    },
    expected: { status: [400, 422] },
  })),
];
