import { gzipSync } from 'node:zlib';
import { hasMoreParts } from '../../../src/lib/json/strict/count-parts.ts';
import type { WayIn } from '../row.ts';

/** An input that is made when its turn comes: all of them together would fill the memory. */
export interface LargeInput {
  readonly what: string;
  readonly make: () => WayIn;
}

type Large = readonly [what: string, make: () => WayIn];

/** The largest body that clients may send unless an operator set another limit, and the largest reply of an API. */
const mostBody = 4 * 1024 * 1024;
const mostReply = 5 * 1024 * 1024;
// A few are left for what stands around it.
const maxParts = 299_900;
const mostPartsOfEditors = 99_900;

const repeated = (piece: string, bytes: number): string => piece.repeat(Math.floor(bytes / piece.length));
const listOf = (piece: string, bytes: number): string =>
  `[${`${piece},`.repeat(Math.floor(bytes / (piece.length + 1)))}${piece}]`;
const numbered = (piece: (i: number) => string, bytes: number): string => {
  const pieces: string[] = [];
  for (let i = 0, length = 0; length < bytes; i++) {
    const next = piece(i);
    pieces.push(next);
    length += next.length + 1;
  }
  return pieces.join();
};

/** JSON that costs most to read, hold, walk or write, each about as long as told. */
export const jsonShapes: Readonly<Record<string, (bytes: number) => string>> = {
  'one long text': (bytes) => `"${repeated('x', bytes)}"`,
  'one long text of escapes': (bytes) => `"${repeated('\\u0007', bytes)}"`,
  'one long text of quotes': (bytes) => `"${repeated('\\"', bytes)}"`,
  'one long text of umlauts': (bytes) => `"${repeated('\u00fc', bytes / 2)}"`,
  'one long text of emoji': (bytes) => `"${repeated('\u{1f642}', bytes / 2)}"`,
  'one long text of hidden marks': (bytes) => `"${repeated('\u202e\u200b', bytes / 3)}"`,
  'one long text of capital letters': (bytes) => `"${repeated('A', bytes)}"`,
  'beginnings of tokens': (bytes) => `"${repeated('-eyJ', bytes)}"`,
  'beginnings of private keys': (bytes) => `"${repeated('-----BEGIN PRIVATE KEY-----', bytes)}"`,
  'words of secrets': (bytes) => `"${repeated('password=a Bearer b sk-c ghp_d ', bytes)}"`,
  'phrases to a model': (bytes) => `"${repeated('ignore all previous instructions ', bytes)}"`,
  'JSON in a text': (bytes) => JSON.stringify(listOf('{}', bytes * 0.7)),
  'digits without end': (bytes) => repeated('9', bytes),
  'small numbers': (bytes) => listOf('1', bytes),
  'long fractions': (bytes) => listOf('-1.2345678901234567e-300', bytes),
  'long integers': (bytes) => listOf('9007199254740993', bytes),
  'short texts': (bytes) => listOf('"a"', bytes),
  'texts that all differ': (bytes) => `[${numbered((i) => `"t${i}"`, bytes)}]`,
  'empty objects': (bytes) => listOf('{}', bytes),
  'empty lists': (bytes) => listOf('[]', bytes),
  'like objects': (bytes) => listOf('{"a":1,"b":"c"}', bytes),
  'objects with names of their own': (bytes) => `[${numbered((i) => `{"n${i}":1}`, bytes)}]`,
  'one object of many names': (bytes) => `{${numbered((i) => `"n${i}":1`, bytes)}}`,
  'one object of many numbers as names': (bytes) => `{${numbered((i) => `"${i * 7919}":1`, bytes)}}`,
  'names that look secret': (bytes) => `{${numbered((i) => `"password${i}":"x${i}"`, bytes)}}`,
  'one name of half its length': (bytes) => `{"${repeated('aB', bytes)}":1}`,
  'deep lists side by side': (bytes) => listOf(`${'['.repeat(50)}${']'.repeat(50)}`, bytes),
  'deep objects side by side': (bytes) => listOf(`${'{"a":'.repeat(50)}1${'}'.repeat(50)}`, bytes),
};

/** The longest of its kind that has no more parts than a body may have. */
function withinParts(make: (bytes: number) => string, bytes: number, most = maxParts): string {
  for (let size = bytes; ; size *= 0.95) {
    const json = make(size);
    if (!hasMoreParts(json, most)) return json;
  }
}

const bodies = (bytes: number, most: number): [string, () => string][] =>
  Object.entries(jsonShapes).map(([what, make]) => [what, () => withinParts(make, bytes, most)]);
const shapes = (bytes: number): [string, () => string][] =>
  Object.entries(jsonShapes).map(([what, make]) => [what, () => make(bytes)]);

const rpc = (body: string): WayIn => ({
  by: 'http',
  method: 'POST',
  path: '/mcp',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  body,
});
const callBody = (name: string, args: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`;
const room = mostBody - 1_000;

const ofCallers: readonly Large[] = [
  ...bodies(room, maxParts).flatMap(([what, json]): Large[] => [
    [`arguments of ${what}`, () => rpc(callBody('probe', `{"path":"p","object":{"a":${json()}}}`))],
    [`a list of ${what}`, () => rpc(callBody('probe', `{"path":"p","list":[${json()}]}`))],
    [`an argument nobody knows of ${what}`, () => rpc(callBody('probe', `{"path":"p","other":${json()}}`))],
    [`a message of ${what}`, () => rpc(json())],
    [
      `a greeting with ${what}`,
      () =>
        rpc(
          `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"experimental":{"a":${json()}}},"clientInfo":{"name":"a","version":"1"}}}`,
        ),
    ],
  ]),
  ...['path', 'query', 'header', 'cookie', 'body', 'pattern', 'url', 'date', 'file'].flatMap((place) =>
    ['a', '\u00fc', '/', '%', ':@'].map((piece): Large => [
      `a ${place} of ${JSON.stringify(piece)} without end`,
      () =>
        rpc(
          callBody('probe', `{"path":"p","${place}":"${repeated(piece, room / Buffer.byteLength(piece))}"}`),
        ),
    ]),
  ),
  ...['union', 'unique', 'list', 'object'].flatMap((place) =>
    ['like objects', 'texts that all differ', 'small numbers', 'empty lists', 'JSON in a text'].map(
      (what): Large => [
        `${place} of ${what}`,
        () => rpc(callBody('probe', `{"path":"p","${place}":${withinParts(jsonShapes[what]!, room)}}`)),
      ],
    ),
  ),
  [
    'arguments of many names',
    () => rpc(callBody('probe', withinParts(jsonShapes['one object of many names']!, room))),
  ],
  [
    'arguments with names that look secret',
    () => rpc(callBody('probe', withinParts(jsonShapes['names that look secret']!, room))),
  ],
  [
    'arguments of one long name',
    () => rpc(callBody('probe', withinParts(jsonShapes['one name of half its length']!, room))),
  ],
  ['a tool with a long name', () => rpc(callBody(repeated('a', room), '{}'))],
  ['a batch of pings', () => rpc(listOf('{"jsonrpc":"2.0","id":1,"method":"ping"}', room))],
  [
    'a batch of lists',
    () => rpc(`[${numbered((i) => `{"jsonrpc":"2.0","id":${i},"method":"tools/list"}`, room)}]`),
  ],
];

const ok = (type: string, body: string | Buffer, more = '', status = '200 OK'): Buffer =>
  Buffer.concat([
    Buffer.from(
      `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${more}Connection: close\r\n\r\n`,
    ),
    Buffer.from(body),
  ]);

const ofApis: readonly Large[] = [
  ...shapes(mostReply - 100).flatMap(([what, json]): Large[] => {
    const body = () => Buffer.from(json()).subarray(0, mostReply);
    return [
      [`a reply of ${what}`, () => ({ by: 'reply', bytes: ok('application/json', body()) })],
      [
        `a shaped reply of ${what}`,
        () => ({ by: 'reply', bytes: ok('application/json', body()), tool: 'shaped' }),
      ],
      [`an error of ${what}`, () => ({ by: 'reply', bytes: ok('application/json', body(), '', '422 No') })],
    ];
  }),
  ...[
    '<p>',
    '<a href=',
    '<!--',
    '&amp;',
    '[![',
    '</',
    '<script>',
    ' ',
    '\n',
    '<table><tr><td>a',
    '&',
    '<b>x</b>',
  ].flatMap((piece): Large[] =>
    (['text/html', 'application/xml', 'text/plain'] as const).flatMap((type) => [
      [
        `${type} of ${JSON.stringify(piece)}`,
        () => ({ by: 'reply', bytes: ok(type, repeated(piece, mostReply - 100)) }),
      ],
      [
        `an error that is ${type} of ${JSON.stringify(piece)}`,
        () => ({ by: 'reply', bytes: ok(type, repeated(piece, mostReply - 100), '', '500 No') }),
      ],
    ]),
  ),
  [
    'bytes that are no text',
    () => ({ by: 'reply', bytes: ok('image/png', Buffer.alloc(mostReply - 100, 200)) }),
  ],
  [
    'text that is no UTF-8',
    () => ({ by: 'reply', bytes: ok('text/plain; charset=utf-8', Buffer.alloc(mostReply - 100, 0xfe)) }),
  ],
  [
    'a packed reply',
    () => ({
      by: 'reply',
      bytes: ok(
        'application/json',
        gzipSync(jsonShapes['like objects']!(mostReply - 100)),
        'Content-Encoding: gzip\r\n',
      ),
    }),
  ],
];

const admin = (method: string, path: string, body: string): WayIn => ({ by: 'admin', method, path, body });
let made = 0;
const toolBody = (operation: string): string =>
  `{"api":"hostile","name":"largest_${made++}","description":"x","operation":${operation}}`;

const ofEditors: readonly Large[] = [
  ...bodies(room, mostPartsOfEditors).flatMap(([what, json]): Large[] => [
    [
      `a tool with a schema of ${what}`,
      () =>
        admin(
          'POST',
          '/tools',
          toolBody(
            `{"method":"POST","path":"/","parameters":[{"name":"a","in":"body","schema":{"type":"object","x":${json()}}}]}`,
          ),
        ),
    ],
    [
      `a call from the app with ${what}`,
      () => admin('POST', '/tools/probe/call', `{"arguments":{"path":"p","object":{"a":${json()}}}}`),
    ],
    [
      `a preview with ${what}`,
      () => admin('POST', '/tools/probe/preview', `{"arguments":{"path":"p","object":{"a":${json()}}}}`),
    ],
    [`settings of ${what}`, () => admin('PATCH', '/settings', `{"a":${json()}}`)],
    [
      `an API with ${what}`,
      () =>
        admin('POST', '/apis', `{"slug":"largest","baseUrl":"https://api.example.com","headers":${json()}}`),
    ],
  ]),
  [
    'a tool with many parameters',
    () =>
      admin(
        'POST',
        '/tools',
        toolBody(
          `{"method":"POST","path":"/","parameters":[${numbered((i) => `{"name":"p${i}","in":"query","schema":{"type":"string"}}`, room)}]}`,
        ),
      ),
  ],
  [
    'a tool with a choice of many texts',
    () =>
      admin(
        'POST',
        '/tools',
        toolBody(
          `{"method":"POST","path":"/","parameters":[{"name":"a","in":"body","schema":{"enum":${withinParts(jsonShapes['texts that all differ']!, room, mostPartsOfEditors)}}}]}`,
        ),
      ),
  ],
  [
    'a tool with many properties',
    () =>
      admin(
        'POST',
        '/tools',
        toolBody(
          `{"method":"POST","path":"/","parameters":[{"name":"a","in":"body","schema":{"type":"object","properties":{${numbered((i) => `"n${i}":{"type":"string","description":"d"}`, room)}}}}]}`,
        ),
      ),
  ],
  [
    'a server with many tools',
    () =>
      admin(
        'POST',
        '/servers',
        `{"slug":"largest","tools":${withinParts(jsonShapes['texts that all differ']!, room, mostPartsOfEditors)}}`,
      ),
  ],
  [
    'many tools at once',
    () =>
      admin(
        'POST',
        '/tools/bulk',
        `{"tools":${withinParts(jsonShapes['texts that all differ']!, room, mostPartsOfEditors)},"set":{"enabled":false}}`,
      ),
  ],
  [
    'a preview of a shape',
    () =>
      admin(
        'POST',
        '/tools/probe/shape-preview',
        `{"reply":{"select":"a","maxBytes":1000},"text":${JSON.stringify(jsonShapes['like objects']!(room * 0.6))}}`,
      ),
  ],
];

const openapi = (paths: string, rest = ''): string =>
  `{"openapi":"3.1.0","info":{"title":"Largest","version":"1"},"servers":[{"url":"https://api.example.com"}],"paths":{${paths}}${rest}}`;
const document = (text: string, name = 'document.json'): WayIn => ({ by: 'import', document: text, name });
const mostDocument = 8 * 1024 * 1024;

const ofDocuments: readonly Large[] = [
  [
    'ten thousand operations with bodies',
    () =>
      document(
        openapi(
          Array.from(
            { length: 10_000 },
            (_, i) =>
              `"/p${i}/{id}":{"post":{"operationId":"makeThing${i}","summary":"Make thing ${i} of many","tags":["t${i % 50}"],"parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"string"}}],"requestBody":{"content":{"application/json":{"schema":{"type":"object","properties":{"name":{"type":"string"},"size":{"type":"integer"},"owner":{"$ref":"#/components/schemas/Owner"}}}}}},"responses":{"200":{"description":"ok"}}}}`,
          ).join(),
          ',"components":{"schemas":{"Owner":{"type":"object","properties":{"id":{"type":"integer"},"name":{"type":"string"}}}}}',
        ),
      ),
  ],
  [
    'many schemas that refer to each other',
    () =>
      document(
        openapi(
          '"/a":{"post":{"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/S0"}}}},"responses":{}}}',
          `,"components":{"schemas":{${numbered((i) => `"S${i}":{"type":"object","properties":{"a":{"$ref":"#/components/schemas/S${i + 1}"},"b":{"$ref":"#/components/schemas/S${i + 2}"}}}`, mostDocument)}}}`,
        ),
      ),
  ],
  [
    'one schema of many properties used by a thousand operations',
    () =>
      document(
        openapi(
          Array.from(
            { length: 1_000 },
            (_, i) =>
              `"/p${i}":{"post":{"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/S"}}}},"responses":{}}}`,
          ).join(),
          `,"components":{"schemas":{"S":{"type":"object","properties":{${numbered((i) => `"n${i}":{"type":"string","description":"d${i}"}`, 500_000)}}}}}`,
        ),
      ),
  ],
  [
    'long descriptions',
    () =>
      document(
        openapi(
          Array.from(
            { length: 100 },
            (_, i) =>
              `"/p${i}":{"get":{"description":"${repeated('[a](b) <b>c</b> ', 80_000)}","responses":{}}}`,
          ).join(),
        ),
      ),
  ],
  [
    'one operation of many parameters',
    () =>
      document(
        openapi(
          `"/a":{"get":{"parameters":[${numbered((i) => `{"name":"p${i}","in":"query","description":"d","schema":{"type":"string"}}`, mostDocument)}],"responses":{}}}`,
        ),
      ),
  ],
  [
    'YAML of many operations',
    () =>
      document(
        `openapi: 3.1.0\ninfo: {title: Largest, version: "1"}\nservers: [{url: "https://api.example.com"}]\npaths:\n${Array.from({ length: 5_000 }, (_, i) => `  /p${i}:\n    get:\n      operationId: p${i}\n      responses: {}`).join('\n')}`,
        'a.yaml',
      ),
  ],
  [
    'curl commands without end',
    () =>
      document(
        Array.from({ length: 10_000 }, (_, i) => `curl 'https://a.example/x${i}?y=1' -H 'X-A: b'`).join('\n'),
        'a.sh',
      ),
  ],
  [
    'a HAR of many requests',
    () =>
      document(
        `{"log":{"version":"1.2","entries":[${numbered((i) => `{"request":{"method":"GET","url":"https://a.example/x${i}/y?z=${i}","headers":[],"queryString":[]},"response":{"status":200,"content":{"mimeType":"application/json","text":"{\\"id\\":${i}}"}}}`, mostDocument)}]}}`,
      ),
  ],
  [
    'a Postman collection of many requests',
    () =>
      document(
        `{"info":{"name":"x","schema":"https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},"item":[${numbered((i) => `{"name":"n${i}","request":{"method":"GET","url":"https://a.example/x${i}"}}`, mostDocument)}]}`,
      ),
  ],
  ...shapes(mostDocument).map(([what, json]): Large => [
    `a document that is ${what}`,
    () => document(openapi('"/a":{"get":{"responses":{}}}', `,"x-a":${json()}`)),
  ]),
];

/** Of every way in, what costs most of all that its limits let pass. */
export const largest: readonly LargeInput[] = [...ofCallers, ...ofApis, ...ofEditors, ...ofDocuments].map(
  ([what, make]) => ({ what, make }),
);
