import { describe, expect, it } from 'vitest';
import type { DescribedOperation } from '../domain/description.ts';
import type { Parameter } from '../domain/operation.ts';
import { inputSchemaOf } from '../domain/tool.ts';
import { readDocument } from './read-document.ts';

function read(document: Record<string, unknown>, files: Record<string, unknown> = {}) {
  return readDocument({
    root: 'openapi.yaml',
    files: new Map(Object.entries({ 'openapi.yaml': document, ...files })),
  });
}

/** A 3.0 document with one operation. */
function one(
  operation: Record<string, unknown>,
  rest: Record<string, unknown> = {},
  path = '/things',
  method = 'get',
): DescribedOperation {
  return read({
    openapi: '3.0.3',
    info: { title: 'T', version: '1' },
    servers: [{ url: 'https://api.example.com' }],
    paths: { [path]: { [method]: operation } },
    ...rest,
  }).operations[0]!;
}

const parametersOf = (operation: DescribedOperation): readonly Parameter[] =>
  operation.content!.operation.parameters;
const codesOf = (operation: DescribedOperation): string[] => operation.notes.map((note) => note.code);

function withBody(
  schema: unknown,
  rest: Record<string, unknown> = {},
  components: Record<string, unknown> = {},
): DescribedOperation {
  return one(
    { requestBody: { required: true, content: { 'application/json': { schema } } }, ...rest },
    { components: { schemas: components } },
    '/things',
    'post',
  );
}

describe('a body of many fields', () => {
  const fields = (count: number) => ({
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`n${index}`, { type: 'string' }]),
    ),
  });

  it('offers each field as an argument while a model can read them', () => {
    expect(parametersOf(withBody(fields(1_000)))).toHaveLength(1_000);
  });

  it('stays one argument beyond that', () => {
    expect(parametersOf(withBody(fields(1_001))).map(({ name }) => name)).toEqual(['body']);
  });
});

describe('parameters', () => {
  it('lets an operation override its path’s parameter', () => {
    const { operations } = read({
      openapi: '3.0.3',
      info: {},
      paths: {
        '/a/{id}': {
          parameters: [{ name: 'id', in: 'path', schema: { type: 'string' } }],
          get: { parameters: [{ name: 'id', in: 'path', schema: { type: 'integer' } }] },
        },
      },
    });
    expect(parametersOf(operations[0]!)).toEqual([
      { name: 'id', in: 'path', schema: { type: 'integer' }, required: true },
    ]);
  });

  it('keeps a body property with the name of a path parameter, and both apart', () => {
    const operation = one(
      {
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: { type: 'object', properties: { id: { type: 'integer' } } } },
          },
        },
      },
      {},
      '/a/{id}',
      'put',
    );
    expect(parametersOf(operation).map(({ name, in: place, key }) => [name, place, key])).toEqual([
      ['id', 'path', undefined],
      ['body_id', 'body', 'id'],
    ]);
  });

  it('gives parameters names that every client accepts and keeps the wire names', () => {
    const operation = one({
      parameters: ['$top', 'filter[name]', 'a b', 'ids[]'].map((name) => ({ name, in: 'query', schema: {} })),
    });
    expect(parametersOf(operation).map(({ name, key }) => [name, key])).toEqual([
      ['top', '$top'],
      ['filter_name', 'filter[name]'],
      ['a_b', 'a b'],
      ['ids', 'ids[]'],
    ]);
  });

  it('declares a path variable that the document forgot, and says so', () => {
    const operation = one({}, {}, '/a/{id}');
    expect(parametersOf(operation)).toEqual([
      { name: 'id', in: 'path', schema: { type: 'string' }, required: true },
    ]);
    expect(codesOf(operation)).toEqual(['path_parameter_undeclared']);
  });

  it('leaves Accept and Content-Type headers to Handrail, with notes, and Authorization to the API’s authentication', () => {
    const operation = one({
      parameters: ['Accept', 'content-type', 'Authorization', 'X-Trace'].map((name) => ({
        name,
        in: 'header',
        schema: { type: 'string' },
      })),
    });
    expect(parametersOf(operation).map(({ name }) => name)).toEqual(['X-Trace']);
    expect(codesOf(operation)).toEqual(['header_dropped', 'header_dropped']);
  });

  it('keeps style, explode, allowReserved and content', () => {
    const operation = one({
      parameters: [
        { name: 'a', in: 'query', style: 'deepObject', explode: true, schema: { type: 'object' } },
        { name: 'b', in: 'query', explode: false, allowReserved: true, schema: { type: 'array' } },
        { name: 'c', in: 'query', content: { 'application/json': { schema: { type: 'object' } } } },
      ],
    });
    expect(parametersOf(operation)).toMatchObject([
      { style: 'deepObject' },
      { explode: false, allowReserved: true },
      { contentType: 'application/json' },
    ]);
  });
});

describe('bodies', () => {
  it('flattens a plain object, and keeps a union, an array and a scalar whole', () => {
    expect(
      withBody({ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }).content!.operation
        .body,
    ).toMatchObject({ shape: 'fields' });
    for (const schema of [
      { oneOf: [{ type: 'string' }, { type: 'object' }] },
      { type: 'array', items: {} },
      { type: 'string' },
      { type: 'object', additionalProperties: { type: 'string' } },
    ]) {
      const operation = withBody(schema);
      expect(operation.content!.operation.body).toMatchObject({ shape: 'whole' });
      expect(parametersOf(operation)).toHaveLength(1);
    }
  });

  it('chooses JSON among several media types and says which', () => {
    const operation = one(
      {
        requestBody: {
          content: {
            'application/xml': {},
            'application/json': { schema: { type: 'object', properties: { a: {} } } },
          },
        },
      },
      {},
      '/a',
      'post',
    );
    expect(operation.content!.operation.body!.mediaType).toBe('application/json');
    expect(operation.notes[0]!.message).toContain('application/json is used');
  });

  it('reads files of a multipart body', () => {
    const operation = one(
      {
        requestBody: {
          content: {
            'multipart/form-data': {
              schema: {
                type: 'object',
                properties: { file: { type: 'string', format: 'binary' }, note: { type: 'string' } },
              },
              encoding: { file: { contentType: 'image/png' } },
            },
          },
        },
      },
      {},
      '/a',
      'post',
    );
    expect(operation.content!.operation.body!.encoding).toEqual({
      file: { contentType: 'image/png', file: true },
    });
    expect(parametersOf(operation)[0]!.schema).toMatchObject({ type: 'string', contentEncoding: 'base64' });
  });

  it('keeps the styles of form fields that there are, and says which there are not', () => {
    const properties = { list: { type: 'array', items: {} }, other: { type: 'array', items: {} } };
    const operation = one(
      {
        requestBody: {
          content: {
            'application/x-www-form-urlencoded': {
              schema: { type: 'object', properties },
              encoding: { list: { style: 'pipeDelimited' }, other: { style: 'semicolons' } },
            },
          },
        },
      },
      {},
      '/a',
      'post',
    );
    expect(operation.content!.operation.body!.encoding).toEqual({ list: { style: 'pipeDelimited' } });
    expect(operation.notes).toMatchObject([
      { code: 'style_unknown', message: expect.stringContaining('"semicolons" is not defined for body') },
    ]);
  });

  it('leaves readOnly properties out of inputs and writeOnly ones out of replies, also when required', () => {
    const schema = {
      type: 'object',
      required: ['id', 'secret', 'name'],
      properties: {
        id: { type: 'integer', readOnly: true },
        secret: { type: 'string', writeOnly: true },
        name: { type: 'string' },
      },
    };
    const operation = withBody(
      { $ref: '#/components/schemas/Pet' },
      {
        responses: {
          200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } } },
        },
      },
      { Pet: schema },
    );
    expect(parametersOf(operation).map(({ name, required }) => [name, required])).toEqual([
      ['secret', true],
      ['name', true],
    ]);
    expect(operation.content!.operation.replySchema).toMatchObject({
      required: ['id', 'name'],
      properties: { id: {}, name: {} },
    });
  });
});

describe('schemas', () => {
  it('stay finite when they refer to themselves, and ship only what is used', () => {
    const node = {
      type: 'object',
      properties: {
        value: { type: 'string', description: 'x'.repeat(400) },
        children: { type: 'array', items: { $ref: '#/components/schemas/Node' } },
      },
    };
    const operation = withBody(
      { type: 'object', properties: { root: { $ref: '#/components/schemas/Node' } } },
      {},
      { Node: node, Unused: { type: 'object' } },
    );
    expect(Object.keys(operation.content!.operation.defs!)).toEqual(['Node']);
    expect(operation.content!.operation.defs!['Node']).toMatchObject({
      properties: { children: { items: { $ref: '#/$defs/Node' } } },
    });
  });

  it('accept anything where a schema is nothing but itself, and say so', () => {
    const operation = withBody(
      { type: 'object', properties: { a: { $ref: '#/components/schemas/Loop' } } },
      {},
      { Loop: { allOf: [{ $ref: '#/components/schemas/Loop' }] } },
    );
    expect(codesOf(operation)).toContain('reference_endless');
  });

  it('merge allOf where nothing is lost', () => {
    const operation = withBody(
      {
        allOf: [
          { $ref: '#/components/schemas/Base' },
          { type: 'object', required: ['b'], properties: { b: { type: 'string' } } },
        ],
      },
      {},
      { Base: { type: 'object', required: ['a'], properties: { a: { type: 'integer' } } } },
    );
    expect(parametersOf(operation).map(({ name, required }) => [name, required])).toEqual([
      ['a', true],
      ['b', true],
    ]);
  });

  it.each([
    [{ type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      { type: 'string', nullable: true, enum: ['a'] },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [
      { type: 'integer', minimum: 1, exclusiveMinimum: true },
      { type: 'integer', exclusiveMinimum: 1 },
    ],
    [
      { type: 'string', example: 'x' },
      { type: 'string', examples: ['x'] },
    ],
    [
      { type: 'string', pattern: '^[\\w-.]+\\@x$' },
      { type: 'string', pattern: '^[\\w\\-.]+@x$' },
    ],
    [
      { type: 'string', enum: [1, true] },
      { type: 'string', enum: ['1', 'true'] },
    ],
    [
      { type: 'array', items: [{ type: 'string' }] },
      { type: 'array', prefixItems: [{ type: 'string' }] },
    ],
    [
      { type: 'string', minLength: '3' },
      { type: 'string', minLength: 3 },
    ],
  ])('bring %j to 2020-12', (schema, expected) => {
    expect(parametersOf(one({ parameters: [{ name: 'a', in: 'query', schema }] }))[0]!.schema).toEqual(
      expected,
    );
  });

  it('drop what cannot be a pattern or a keyword’s value, with notes', () => {
    const operation = one({
      parameters: [
        { name: 'a', in: 'query', schema: { type: 'string', pattern: '(unclosed', maxLength: -1 } },
      ],
    });
    expect(parametersOf(operation)[0]!.schema).toEqual({ type: 'string' });
    expect(codesOf(operation)).toEqual(['schema_keyword_invalid', 'pattern_dropped']);
  });

  it('are not confused by hostile keys', () => {
    const properties = JSON.parse(
      '{"__proto__": {"type": "string"}, "constructor": {"type": "string"}, "a": {"type": "string"}}',
    ) as Record<string, unknown>;
    const operation = withBody({ type: 'object', properties });
    expect(parametersOf(operation).map(({ name }) => name)).toEqual(['body_constructor', 'a']);
    expect(({} as Record<string, unknown>)['type']).toBeUndefined();
  });
});

describe('what a model need not be asked', () => {
  it('is a required value with a default, if the schema accepts that default', () => {
    const required = (name: string, schema: object) => ({ name, in: 'query', required: true, schema });
    const operation = one({
      parameters: [
        required('version', { type: 'string', default: 'v1' }),
        required('limit', { type: 'integer', default: 'ten' }),
        required('sort', { type: 'string', enum: ['a'], default: 'b' }),
        { name: 'page', in: 'query', schema: { type: 'integer', default: 1 } },
      ],
      responses: {},
    });
    expect(parametersOf(operation).map((parameter) => parameter.default)).toEqual([
      'v1',
      undefined,
      undefined,
      undefined,
    ]);
    expect(inputSchemaOf(operation.content!.operation)['required']).not.toContain('version');
  });

  it('is a required value of which there is only one', () => {
    const operation = one(
      {
        parameters: [
          { name: 'v', in: 'path', schema: { type: 'string', enum: ['v1'] } },
          { name: 'expand', in: 'query', schema: { type: 'string', enum: ['all'] } },
          { name: 'kind', in: 'query', required: true, schema: { type: 'string', enum: ['a', 'b'] } },
        ],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['object'],
                properties: { object: { type: 'string', enum: ['page'] }, size: { enum: [5] } },
              },
            },
          },
        },
      },
      {},
      '/{v}/things',
      'post',
    );
    expect(parametersOf(operation).map(({ name, fixed }) => [name, fixed])).toEqual([
      ['v', 'v1'],
      ['expand', undefined],
      ['kind', undefined],
      ['object', 'page'],
      ['size', undefined],
    ]);
    expect(Object.keys(inputSchemaOf(operation.content!.operation)['properties'] as object)).toEqual([
      'expand',
      'kind',
      'size',
    ]);
    expect(codesOf(operation)).toEqual([]);
  });

  it('is not told twice in a title and a description', () => {
    const said = (summary: string, description?: string) => {
      const { title, description: text } = one({ summary, description }).content!;
      return [title, text];
    };
    expect(said('List pets')).toEqual([undefined, 'List pets']);
    expect(said('List pets', 'List pets.')).toEqual([undefined, 'List pets.']);
    expect(said('List pets', 'All of them.')).toEqual(['List pets', 'List pets.\n\nAll of them.']);
    const schema = { type: 'string', title: 'Name of the pet', description: 'Name of the pet.' };
    expect(parametersOf(one({ parameters: [{ name: 'n', in: 'query', schema }] }))[0]!.schema).toEqual({
      type: 'string',
      description: 'Name of the pet.',
    });
  });

  it('tells of parameters that are on their way out', () => {
    const operation = one({
      parameters: [{ name: 'old', in: 'query', deprecated: true, schema: { type: 'string' } }],
    });
    expect(parametersOf(operation)[0]!.schema).toEqual({ type: 'string', deprecated: true });
  });
});

describe('bodies of JSON lines', () => {
  const body = (media: Record<string, unknown>) =>
    parametersOf(
      one(
        { requestBody: { required: true, content: { 'application/x-ndjson': media } } },
        { openapi: '3.2.0' },
        '/bulk',
        'post',
      ),
    );
  const line = { type: 'object', properties: { a: { type: 'string' } } };
  it.each([
    ['the list', { schema: { type: 'array', items: line } }],
    ['one line', { schema: line }],
    ['an item', { itemSchema: line }],
  ])('are a list of values, whether the document describes %s', (_what, media) => {
    expect(body(media)).toEqual([
      {
        name: 'body',
        in: 'body',
        required: true,
        schema: { type: 'array', items: line },
        description: 'Each item is sent as one line of JSON.',
      },
    ]);
  });

  it('stay text where the document says text', () => {
    expect(body({ schema: { type: 'string' } })[0]!.schema).toEqual({ type: 'string' });
  });
});

describe('references', () => {
  it('are followed through ~1 and percent-encoding', () => {
    const operation = one(
      { parameters: [{ $ref: '#/paths/~1x~1%7Bid%7D/get/parameters/0' }] },
      {
        paths: {
          '/x/{id}': { get: { parameters: [{ name: 'id', in: 'path', schema: { type: 'integer' } }] } },
          '/y/{id}': { get: { parameters: [{ $ref: '#/paths/~1x~1%7Bid%7D/get/parameters/0' }] } },
        },
      },
    );
    expect(parametersOf(operation)[0]!.schema).toEqual({ type: 'integer' });
  });

  it('reach other files of the bundle, and nothing else', () => {
    const document = {
      openapi: '3.0.3',
      info: {},
      paths: {
        '/a': { get: { parameters: [{ $ref: './parts/p.yaml#/limit' }] } },
        '/b': {
          get: {
            parameters: [
              { $ref: 'file:///etc/passwd' },
              { $ref: 'http://127.0.0.1/x' },
              { $ref: '../../outside.yaml' },
            ],
          },
        },
      },
    };
    const { operations } = read(document, {
      'parts/p.yaml': {
        limit: { name: 'limit', in: 'query', schema: { $ref: '#/type' } },
        type: { type: 'integer' },
      },
    });
    expect(parametersOf(operations[0]!)).toMatchObject([{ name: 'limit', schema: { type: 'integer' } }]);
    expect(parametersOf(operations[1]!)).toEqual([]);
    expect(operations[1]!.notes.map(({ message }) => message).join()).toMatch(
      /never fetched.*never fetched.*not part of the import/,
    );
  });
});

describe('servers and security', () => {
  it('fills variables, resolves relative URLs and lists alternatives', () => {
    const bundle = (servers: unknown) => ({
      root: 'd',
      files: new Map([['d', { openapi: '3.1.0', info: {}, servers, paths: {} }]]),
    });
    const urls = (servers: unknown, documentUrl?: string) =>
      readDocument(bundle(servers), documentUrl === undefined ? {} : { documentUrl }).baseUrls;
    expect(
      urls([
        {
          url: 'https://{region}.example.com/{v}',
          variables: { region: { default: 'eu', enum: ['eu', 'us'] }, v: { default: 'v1' } },
        },
      ]),
    ).toEqual(['https://eu.example.com/v1', 'https://us.example.com/v1']);
    expect(urls([{ url: '/api' }], 'https://docs.example.com/specs/openapi.json')).toEqual([
      'https://docs.example.com/api',
    ]);
    expect(urls([{ url: '../v2' }], 'https://docs.example.com/specs/openapi.json')).toEqual([
      'https://docs.example.com/v2',
    ]);
    expect(urls(undefined)).toEqual([]);
  });

  it('proposes the way in that most operations take', () => {
    const api = read({
      openapi: '3.0.3',
      info: {},
      components: {
        securitySchemes: {
          key: { type: 'apiKey', in: 'header', name: 'X-Key' },
          oauth: {
            type: 'oauth2',
            flows: { clientCredentials: { tokenUrl: 'https://a.example/token', scopes: {} } },
          },
        },
      },
      security: [{ oauth: [] }, { key: [] }],
      paths: {
        '/a': { get: {}, post: { security: [] } },
        '/b': { get: { security: [{ oauth: [], key: [] }] } },
      },
    });
    expect(api.auth).toEqual({ kind: 'api-key', in: 'header', name: 'X-Key' });
    expect(api.operations.map(codesOf)).toEqual([[], [], ['other_authentication']]);
    expect(api.operations[1]!.content!.operation.security).toBeUndefined();
  });

  it('of Swagger 2 kept in another file resolve the references in it from there', () => {
    const { operations } = read(
      {
        swagger: '2.0',
        info: { title: 'T', version: '1' },
        host: 'api.example.com',
        paths: {
          '/pets': {
            get: {
              produces: ['application/json'],
              responses: { 200: { $ref: 'parts/replies.yaml#/Pets 100%' } },
            },
          },
        },
      },
      {
        'parts/replies.yaml': {
          'Pets 100%': { description: 'd', schema: { $ref: '#/definitions/Pet' } },
          definitions: { Pet: { type: 'object', properties: { tag: { $ref: './types/tag.yaml' } } } },
        },
        'parts/types/tag.yaml': { type: 'string', maxLength: 7 },
      },
    );
    expect(JSON.stringify(operations[0]!.content!.operation.replySchema)).toContain('"maxLength":7');
    expect(codesOf(operations[0]!)).toEqual([]);
  });

  it('is the API’s for an operation that repeats it, so that another base URL applies to it', () => {
    const servers = [{ url: 'https://api.example.com' }];
    const operation = one({ servers, responses: {} }, { servers });
    expect(operation.content!.operation).not.toHaveProperty('baseUrl');
  });

  it('takes an operation’s own server', () => {
    expect(one({ servers: [{ url: 'https://upload.example.com' }] }).content!.operation.baseUrl).toBe(
      'https://upload.example.com',
    );
  });
});

describe('Swagger 2', () => {
  const swagger = (operation: unknown, method = 'post') =>
    read({
      swagger: '2.0',
      info: { title: 'S' },
      host: 'api.example.com',
      basePath: '/v1',
      schemes: ['http', 'https'],
      consumes: ['application/json'],
      paths: { '/a': { [method]: operation } },
    });

  it('reads host, collectionFormat and body', () => {
    const api = swagger({
      parameters: [
        { name: 'ids', in: 'query', type: 'array', items: { type: 'string' }, collectionFormat: 'pipes' },
        { name: 'csv', in: 'query', type: 'array', items: { type: 'string' } },
        {
          name: 'pet',
          in: 'body',
          required: true,
          schema: { type: 'object', properties: { a: { type: 'string', 'x-nullable': true } } },
        },
      ],
    });
    expect(api.baseUrls).toEqual(['https://api.example.com/v1', 'http://api.example.com/v1']);
    expect(parametersOf(api.operations[0]!)).toMatchObject([
      { style: 'pipeDelimited' },
      { explode: false },
      { in: 'body', schema: { type: ['string', 'null'] } },
    ]);
  });

  it('reads form fields and files', () => {
    const [operation] = swagger({
      parameters: [
        { name: 'f', in: 'formData', type: 'file', required: true },
        { name: 'tags', in: 'formData', type: 'array', items: { type: 'string' }, collectionFormat: 'multi' },
      ],
    }).operations;
    expect(operation!.content!.operation.body).toMatchObject({
      mediaType: 'multipart/form-data',
      encoding: { f: { file: true } },
    });
  });
});

describe('names and notes', () => {
  it('makes names from operationId, else from method and path, unique and within 64 characters', () => {
    const { operations } = read({
      openapi: '3.0.3',
      info: {},
      paths: {
        '/users/{id}/posts': { get: {} },
        '/a': { get: { operationId: 'list things!' }, post: { operationId: 'x'.repeat(100) } },
        '/b': { get: { operationId: 'list things!' } },
      },
    });
    const names = operations.map(({ content }) => content!.name);
    expect(names.slice(0, 2)).toEqual(['get_users_by_id_posts', 'list_things']);
    expect(names[2]).toHaveLength(64);
    expect(names[3]).toBe('list_things_2');
  });

  it('tells operations apart that differ only after # and keeps a fixed query', () => {
    const { operations } = read({
      openapi: '3.0.3',
      info: {},
      paths: { '/token': { post: {} }, '/token#refresh': { post: {} }, '/x?beta=true': { get: {} } },
    });
    expect(operations.map(({ key }) => key)).toEqual([
      'POST /token',
      'POST /token#refresh',
      'GET /x?beta=true',
    ]);
    expect(operations.map(({ content }) => content!.operation.path)).toEqual([
      '/token',
      '/token',
      '/x?beta=true',
    ]);
  });

  it('makes a query parameter of a variable in the query', () => {
    const { operations } = read({
      openapi: '3.0.3',
      info: {},
      paths: {
        '/a?q={q}&v=1': { get: { parameters: [{ name: 'q', in: 'query', schema: { type: 'string' } }] } },
        '/b?key={k}': { get: { parameters: [{ name: 'k', in: 'path', schema: { type: 'string' } }] } },
      },
    });
    expect(operations.map(({ content }) => content!.operation.path)).toEqual(['/a?v=1', '/b']);
    expect(
      operations.map((operation) => parametersOf(operation).map(({ name, in: place }) => [name, place])),
    ).toEqual([[['q', 'query']], [['key', 'query']]]);
  });

  it('accounts for operations it cannot read', () => {
    const { operations } = read({
      openapi: '3.2.0',
      info: {},
      paths: { '/a': { get: 'nonsense', additionalOperations: { CONNECT: {} }, query: {} } },
    });
    expect(operations.map(({ content, notes }) => [content === null, notes[0]?.code])).toEqual([
      [true, 'operation_invalid'],
      [false, undefined],
      [true, 'method_unsupported'],
    ]);
  });

  it('hides what the document hides from agents, and mentions webhooks', () => {
    const api = read({
      openapi: '3.1.0',
      info: {},
      webhooks: { ping: {} },
      paths: { '/a': { get: { 'x-mcp': false } }, '/b': { get: { 'x-mcp': { name: 'better' } } } },
    });
    expect(api.operations.map(({ content }) => content?.name)).toEqual([undefined, 'better']);
    expect(api.notes.map(({ code }) => code)).toContain('webhooks_ignored');
  });

  it('refuses versions it cannot read and documents without end', () => {
    expect(() => read({ swagger: '1.2' })).toThrow('version "1.2"');
    const paths = Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`/p${i}`, { get: {} }]));
    expect(() => read({ openapi: '3.0.0', info: {}, paths })).toThrow('more than the 50000');
  });

  it('gives every operation an input schema', () => {
    expect(inputSchemaOf(one({}).content!.operation)).toEqual({ type: 'object', properties: {} });
  });
});
