import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { parseImport } from './parse-import.ts';
import { parseInThread } from './parse-in-thread.ts';
import { readSelection } from '../plan/select.ts';
import { shellCommands } from '../formats/curl/shell-words.ts';

const read = (text: string | Uint8Array) =>
  parseImport({
    files: [{ name: 'document', content: typeof text === 'string' ? Buffer.from(text) : text }],
  });
const readJson = (value: unknown) => read(JSON.stringify(value));

describe('shell words', () => {
  it.each([
    [`curl 'a b' "c \\"d\\"" $'e\\n\\u00e9' f\\ g`, ['curl', 'a b', 'c "d"', 'e\né', 'f g']],
    [`curl 'it'"'"'s' \\\n  -X POST`, ['curl', "it's", '-X', 'POST']],
    [`curl a # comment`, ['curl', 'a']],
    [`curl a < file.txt`, ['curl', 'a']],
    [`curl http://x/?a=1&b=2`, ['curl', 'http://x/?a=1&b=2']],
    [`curl "https://x/" ^\r\n  -H ^"a: b^"`, ['curl', 'https://x/', '-H', 'a: b']],
  ])('%j', (text, words) => {
    expect(shellCommands(text)[0]!.words).toEqual(words);
  });
});

describe('cURL', () => {
  it('makes a tool that sends the same request without arguments, and keeps the secret apart', () => {
    const { kind, apis } = read(
      `curl 'https://api.example.com/v1/items?page=2&tag=a&tag=b' -X PUT -H 'Authorization: Bearer tok-123' -H 'X-Mode: fast' -H 'User-Agent: Mozilla' --json '{"name":"x","password":"hunter2"}'`,
    );
    expect(kind).toBe('curl');
    expect(apis[0]!.auth).toEqual({ kind: 'bearer' });
    expect(apis[0]!.proposedCredential).toEqual({ fields: { token: 'tok-123' } });
    const { operation } = apis[0]!.operations[0]!.content!;
    expect(operation.parameters).toMatchObject([
      { name: 'page', in: 'query', default: '2' },
      { name: 'tag', in: 'query', default: ['a', 'b'] },
      { name: 'X-Mode', in: 'header', fixed: 'fast' },
      { name: 'name', in: 'body', default: 'x' },
      { name: 'password', in: 'body', required: true },
    ]);
    expect(JSON.stringify(apis[0]!.operations)).not.toMatch(/tok-123|hunter2/);
  });

  it('reads several commands and several URLs', () => {
    const { apis } = read('curl localhost:1/a localhost:1/b\ncurl -I https://x.example/c');
    expect(apis[0]!.operations.map(({ key }) => key)).toEqual(['GET /a', 'GET /b', 'HEAD /c']);
    expect(apis[0]!.baseUrls).toEqual(['http://localhost:1']);
    expect(apis[0]!.operations[2]!.content!.operation.baseUrl).toBe('https://x.example');
  });

  it('reads -G, --data-urlencode, -F and combined short options', () => {
    const { apis } = read(
      `curl -sG https://x.example/s --data-urlencode 'q=a b&c'\ncurl -F 'f=@x.png;type=image/png' -F 'a={"b;c":1}' https://x.example/u`,
    );
    expect(apis[0]!.operations[0]!.content!.operation.parameters).toMatchObject([
      { name: 'q', in: 'query', default: 'a b&c' },
    ]);
    expect(apis[0]!.operations[1]!.content!.operation.body).toMatchObject({
      mediaType: 'multipart/form-data',
      encoding: { f: { file: true, contentType: 'image/png' } },
    });
  });
});

describe('Postman', () => {
  const collection = (item: unknown[], rest: object = {}) => ({
    info: { name: 'C', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
    item,
    ...rest,
  });

  it('reads folders, variables, path variables and auth', () => {
    const { apis } = readJson(
      collection(
        [
          {
            name: 'Users',
            item: [
              {
                name: 'Get user',
                request: {
                  method: 'GET',
                  url: {
                    raw: '{{base}}/users/:id?full=true',
                    query: [{ key: 'full', value: 'true', description: 'All of it' }],
                    variable: [{ key: 'id', value: '7' }],
                  },
                },
              },
            ],
          },
        ],
        {
          variable: [{ key: 'base', value: 'https://api.example.com' }],
          auth: {
            type: 'apikey',
            apikey: [
              { key: 'key', value: 'X-Key' },
              { key: 'value', value: 'secret-9' },
            ],
          },
        },
      ),
    );
    const [api] = apis;
    expect([api!.baseUrls, api!.auth, api!.proposedCredential]).toEqual([
      ['https://api.example.com'],
      { kind: 'api-key', in: 'header', name: 'X-Key' },
      { fields: { value: 'secret-9' } },
    ]);
    const [operation] = api!.operations;
    expect([operation!.key, operation!.content!.name, operation!.content!.tags]).toEqual([
      'GET /users/{id}',
      'Get_user',
      ['Users'],
    ]);
    expect(operation!.content!.operation.parameters).toMatchObject([
      { name: 'id', in: 'path', schema: { examples: ['7'] } },
      { name: 'full', in: 'query', description: 'All of it' },
    ]);
    expect(JSON.stringify(api!.operations)).not.toContain('secret-9');
  });

  it('makes a template of JSON with bare variables, and fields of forms and GraphQL', () => {
    const post = (name: string, body: object) => ({
      name,
      request: { method: 'POST', url: 'https://x.example/a', body },
    });
    const { apis } = readJson(
      collection([
        post('t', { mode: 'raw', raw: '{"id": {{id}}, "n": "{{n}}"}' }),
        post('u', { mode: 'urlencoded', urlencoded: [{ key: 'a', value: '1' }] }),
        post('g', { mode: 'graphql', graphql: { query: '{ me }', variables: '{"a":1}' } }),
      ]),
    );
    const bodies = apis[0]!.operations.map(({ content }) => [
      content!.operation.body!.shape,
      content!.operation.parameters.map(({ name }) => name),
    ]);
    expect(bodies).toEqual([
      ['template', ['id', 'n']],
      ['fields', ['a']],
      ['fields', ['query', 'variables']],
    ]);
  });
});

describe('HAR', () => {
  const entry = (method: string, url: string, rest: object = {}, response: object = {}) => ({
    request: {
      method,
      url,
      headers: [
        { name: 'Cookie', value: 'sid=topsecret' },
        { name: 'Authorization', value: 'Bearer topsecret' },
      ],
      ...rest,
    },
    response: { status: 200, content: { mimeType: 'application/json', text: '{"id":1}' }, ...response },
  });

  it('groups requests, turns ids into parameters and keeps no secret', () => {
    const { apis } = readJson({
      log: {
        version: '1.2',
        entries: [
          entry('GET', 'https://a.example/users/17?x=1&api_key=topsecret'),
          entry('GET', 'https://a.example/users/18?x=2'),
          entry('POST', 'https://a.example/logs/2024-05-06', {
            postData: { mimeType: 'application/json', text: '{"token":"topsecret","a":1}' },
          }),
          entry('GET', 'https://b.example/'),
        ],
      },
    });
    expect(apis.map(({ wantedSlug, operations }) => [wantedSlug, operations.map(({ key }) => key)])).toEqual([
      ['a-example', ['GET /users/{user_id}', 'POST /logs/{log_date}']],
      ['b-example', ['GET /']],
    ]);
    expect(JSON.stringify(apis)).not.toContain('topsecret');
    expect(apis[0]!.operations[0]!.content!.operation.replySchema).toEqual({
      type: 'object',
      properties: { id: { type: 'number' } },
    });
  });
});

describe('text', () => {
  const openapi =
    'openapi: 3.0.0\ninfo: {title: T, version: 2024-01-02}\npaths: {/a: {get: {responses: {200: {description: ok}}}}}\n';

  it('reads YAML, JSON, gzip and a byte order mark', () => {
    for (const bytes of [openapi, gzipSync(openapi), `\uFEFF${openapi}`])
      expect(read(bytes).apis[0]!.operations).toHaveLength(1);
    expect(read(openapi).apis[0]!.version).toBe('2024-01-02');
  });

  it('reads UTF-16 of both orders, with a byte order mark and without', () => {
    const little = Buffer.from(openapi, 'utf16le');
    for (const bytes of [little, Buffer.concat([Buffer.from([0xff, 0xfe]), little])]) {
      expect(read(bytes).apis[0]!.operations).toHaveLength(1);
      expect(read(Buffer.from(bytes).swap16()).apis[0]!.operations).toHaveLength(1);
    }
  });

  it('says when a key stands twice, and when a file holds several documents', () => {
    const notes = (text: string) => read(text).apis[0]!.notes.map(({ message }) => message);
    expect(notes(`${openapi}info: {title: U}\n`)).toContainEqual(
      expect.stringContaining('"info" appears twice'),
    );
    expect(notes('{"openapi":"3.0.0","paths":{"/a":{"get":{}},"/a":{"put":{}}}}')).toContainEqual(
      expect.stringContaining('"/a" appears twice'),
    );
    expect(notes(`${openapi}---\na: 1\n`)).toContainEqual(expect.stringContaining('several documents'));
  });

  it.each([
    ['', 'is empty'],
    ['{"a": [1}', 'not valid JSON'],
    ['openapi: 3.0.0\n  bad: [1', 'not valid YAML'],
    ['just words', 'plain text'],
    ['{"a":1}', 'not in a format that can be imported'],
    ['{"asyncapi":"2.0.0"}', 'AsyncAPI'],
    [`{"openapi":"3.0.0","info":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, 'nested'],
    [`openapi: 3.0.0\nx: ${'['.repeat(20_000)}`, 'nested'],
  ])('refuses %j', (text, message) => {
    expect(() => read(text)).toThrow(message);
  });

  it('refuses a YAML bomb', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let i = 1; i < 12; i++)
      lines.push(`a${i}: &a${i} [${Array.from({ length: 10 }, () => `*a${i - 1}`).join(', ')}]`);
    expect(() => read(`openapi: 3.0.0\n${lines.join('\n')}`)).toThrow(/alias|values/);
  });
});

describe('the import’s own thread', () => {
  it('hands back what reading in place would, and tells progress', async () => {
    const paths = Object.fromEntries(
      Array.from({ length: 120 }, (_, i) => [`/p${i}`, { get: { description: 'x'.repeat(2_000) } }]),
    );
    const input = {
      files: [
        {
          name: 'd',
          content: Buffer.from(JSON.stringify({ openapi: '3.0.0', info: { title: 'T' }, paths })),
        },
      ],
    };
    const seen: number[] = [];
    const parsed = await parseInThread(input, { onProgress: ({ done }) => seen.push(done) });
    expect(parsed).toEqual(JSON.parse(JSON.stringify(parseImport(input))));
    expect(seen).toContain(120);
  });

  it('ends with a refusal when the document cannot be read or takes too long', async () => {
    const bytes = (text: string) => ({ files: [{ name: 'd', content: Buffer.from(text) }] });
    await expect(parseInThread(bytes('{'))).rejects.toMatchObject({ code: 'import_unreadable' });
    const large = JSON.stringify({
      openapi: '3.0.0',
      paths: {},
      x: Array.from({ length: 150_000 }, (_, i) => ({ [`k${i}`]: i })),
    });
    await expect(
      parseInThread(bytes(large), { limits: { timeoutMs: 1, memoryMb: 512 } }),
    ).rejects.toMatchObject({ message: expect.stringContaining('took longer') as string });
    await expect(
      parseInThread(bytes(large), { limits: { timeoutMs: 600_000, memoryMb: 8 } }),
    ).rejects.toMatchObject({ message: expect.stringContaining('memory') as string });
  });
});

describe('selection', () => {
  it('reads terms', () => {
    expect(readSelection(['tag:pets,method:get', 'list*'])).toEqual({
      tags: ['pets'],
      methods: ['get'],
      names: ['list*'],
    });
    expect(readSelection([])).toBeUndefined();
    expect(() => readSelection(['color:red'])).toThrow('not a valid selection');
  });
});
