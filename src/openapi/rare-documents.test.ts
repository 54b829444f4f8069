import { describe, expect, it } from 'vitest';
import type { Api } from '../domain/api.ts';
import type { DescribedOperation } from '../domain/description.ts';
import { inputSchemaOf, type Tool } from '../domain/tool.ts';
import { compile } from '../pipeline/compile.ts';
import { resolve } from '../pipeline/request/resolve.ts';
import { validate } from '../pipeline/arguments/validate.ts';
import { readDocument } from './read-document.ts';

function read(document: Record<string, unknown>, documentUrl?: string) {
  const whole = {
    openapi: '3.1.0',
    info: { title: 'T', version: '1' },
    servers: [{ url: 'https://x.example' }],
    ...document,
  };
  return readDocument(
    { root: 'openapi.yaml', files: new Map([['openapi.yaml', whole]]) },
    documentUrl === undefined ? {} : { documentUrl },
  );
}

const one = (operation: object, rest: object = {}, path = '/a', method = 'post'): DescribedOperation =>
  read({ paths: { [path]: { [method]: operation } }, ...rest }).operations[0]!;
const withBody = (schema: unknown, schemas: object = {}): DescribedOperation =>
  one(
    { requestBody: { required: true, content: { 'application/json': { schema } } } },
    { components: { schemas } },
  );
const codesOf = ({ notes }: DescribedOperation): string[] => notes.map(({ code }) => code);
const schemaOf = ({ content }: DescribedOperation) => inputSchemaOf(content!.operation);

/** The request that a call with these arguments sends. */
function send({ content }: DescribedOperation, args: object) {
  const api = {
    id: 'a',
    slug: 'a',
    baseUrl: 'https://x.example',
    headers: {},
    auth: { kind: 'none' },
    limits: {},
  };
  const tool = { ...content!, id: 't', apiId: 'a', reply: {}, limits: {}, enabled: true };
  const compiled = compile(api as unknown as Api, tool as unknown as Tool);
  return resolve(compiled, validate(compiled, args));
}

describe('kinds told apart by a discriminator', () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const kinds = {
    Cat: { allOf: [ref('Pet'), { type: 'object', properties: { meow: { type: 'string' } } }] },
    Dog: { allOf: [ref('Pet'), { type: 'object', properties: { bark: { type: 'string' } } }] },
  };
  const pet = { type: 'object', required: ['kind'], properties: { kind: { type: 'string' } } };
  const discriminator = {
    propertyName: 'kind',
    mapping: { cat: '#/components/schemas/Cat', tom: 'Cat', dog: 'Dog' },
  };
  const union = { ...pet, discriminator, oneOf: [ref('Cat'), ref('Dog')] };

  it.each(['Pet', 'Cat'])('ends where a parent lists its children and they contain it: %s', (name) => {
    const operation = withBody({ type: 'array', items: ref(name) }, { Pet: union, ...kinds });
    expect(codesOf(operation)).not.toContain('reference_endless');
    expect(JSON.stringify(schemaOf(operation))).toContain('meow');
  });

  it('lets a value through that only its discriminator tells from another kind', () => {
    const operation = withBody(ref('Pet'), { Pet: union, ...kinds });
    for (const kind of ['cat', 'tom', 'dog'])
      expect(send(operation, { body: { kind } }).body!.content).toBe(`{"kind":"${kind}"}`);
    expect(() => send(operation, { body: { kind: 'cow' } })).toThrow('allowed forms');
  });

  it('accepts any of the kinds when nothing says which value means which', () => {
    const unnamed = { ...pet, discriminator: { propertyName: 'kind' }, oneOf: [ref('Cat'), ref('Dog')] };
    const operation = withBody(ref('Pet'), { Pet: unnamed, ...kinds });
    expect(send(operation, { body: { kind: 'x' } }).body!.content).toBe('{"kind":"x"}');
  });

  it('sends what only a kind has when the parent lists its kinds in the mapping alone', () => {
    const operation = withBody(ref('Pet'), { Pet: { ...pet, discriminator }, ...kinds });
    expect(send(operation, { body: { kind: 'cat', meow: 'x' } }).body!.content).toBe(
      '{"kind":"cat","meow":"x"}',
    );
    const child = withBody(ref('Cat'), { Pet: { ...pet, discriminator }, ...kinds });
    expect(send(child, { kind: 'cat', meow: 'x' }).body!.content).toBe('{"kind":"cat","meow":"x"}');
  });
});

describe('references', () => {
  it.each([
    ['an anchor', '#thing'],
    ['an $id', 'https://schemas.example/thing'],
    ['the address the document was fetched from', 'https://x.example/openapi.yaml#/components/schemas/Thing'],
  ])('leads to a schema by %s, without fetching', (_name, ref) => {
    const { operations } = read(
      {
        paths: {
          '/a': { post: { requestBody: { content: { 'application/json': { schema: { $ref: ref } } } } } },
        },
        components: {
          schemas: {
            Thing: {
              $id: 'https://schemas.example/thing',
              $anchor: 'thing',
              type: 'object',
              properties: { a: { type: 'integer' } },
            },
          },
        },
      },
      'https://x.example/openapi.yaml',
    );
    expect(codesOf(operations[0]!)).toEqual([]);
    expect(schemaOf(operations[0]!)['properties']).toEqual({ a: { type: 'integer' } });
  });

  it('reads a dynamic reference like a plain one', () => {
    const node = { $dynamicAnchor: 'node', type: 'object', properties: { next: { $dynamicRef: '#node' } } };
    const schema = schemaOf(withBody({ $dynamicRef: '#node' }, { Node: node }));
    expect(schema['properties']).toEqual({ next: { $ref: '#/$defs/Node' } });
  });

  it('finds $defs of the schema itself where the document has none', () => {
    const own = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/A' } },
      $defs: { A: { type: 'integer' } },
    };
    const operation = withBody({ $ref: '#/components/schemas/Own' }, { Own: own });
    expect(schemaOf(operation)['properties']).toEqual({ a: { type: 'integer' } });
  });
});

describe('OpenAPI 3.2', () => {
  it('resolves servers against $self', () => {
    const { baseUrls } = read({
      openapi: '3.2.0',
      $self: 'https://api.example.com/docs/openapi',
      servers: [{ url: '../v2' }],
      paths: {},
    });
    expect(baseUrls).toEqual(['https://api.example.com/v2']);
  });

  const querystring = (type: string, schema: object) =>
    one({ parameters: [{ name: 'all', in: 'querystring', content: { [type]: { schema } } }] });

  it.each([
    ['application/json', { type: 'object' }, { all: { a: [1] } }, '/a?%7B%22a%22%3A%5B1%5D%7D'],
    ['text/plain', { type: 'string' }, { all: '$.a[0]&b=1' }, '/a?%24.a%5B0%5D%26b%3D1'],
    [
      'application/x-www-form-urlencoded',
      { type: 'object' },
      { all: { a: 'b c', d: ['1', '2'] } },
      '/a?a=b%20c&d=%5B%221%22%2C%222%22%5D',
    ],
  ])('sends a whole query of %s', (type, schema, args, target) => {
    expect(send(querystring(type, schema), args).target).toBe(target);
  });
});

describe('irregular documents', () => {
  it('reads methods in capitals, and says which keys of a path are none', () => {
    const { operations, notes } = read({
      paths: { '/a': { GET: { responses: {} }, copy: { responses: {} }, 'x-copy': { responses: {} } } },
    });
    expect(operations.map(({ key }) => key)).toEqual(['GET /a']);
    expect(notes.filter(({ code }) => code !== 'authentication_unknown')).toMatchObject([
      { code: 'method_unknown', at: '#/paths/~1a/copy' },
    ]);
  });

  it('declares a variable in the query of a path that the document forgot', () => {
    const operation = one({}, {}, '/a?x=1&y={z}', 'get');
    expect(send(operation, { y: '2' }).target).toBe('/a?x=1&y=2');
    expect(codesOf(operation)).toEqual(['path_parameter_undeclared']);
  });

  it('takes names that YAML reads as numbers or booleans', () => {
    const parameters = [5, true].map((name) => ({ name, in: 'query', schema: { type: 'string' } }));
    expect(Object.keys(schemaOf(one({ parameters }))['properties'] as object)).toEqual(['5', 'true']);
  });

  it('keeps parameters and properties apart from what every object inherits', () => {
    const nested = { type: 'object', properties: { constructor: { type: 'string' } } };
    const operation = one({
      parameters: ['__proto__', 'toString'].map((name) => ({
        name,
        in: 'query',
        schema: { type: 'string' },
      })),
      requestBody: {
        content: { 'application/json': { schema: { type: 'object', properties: { valueOf: nested } } } },
      },
    });
    expect(send(operation, { body_valueOf: {} })).toMatchObject({
      target: '/a',
      body: { content: '{"valueOf":{}}' },
    });
    expect(send(operation, { query___proto__: '1', query_toString: '2' }).target).toBe(
      '/a?__proto__=1&toString=2',
    );
  });

  it('leaves out numbers that JSON cannot write', () => {
    const schema = {
      type: 'number',
      enum: [1, Infinity],
      default: Infinity,
      example: NaN,
      maximum: Infinity,
    };
    const operation = one({ parameters: [{ name: 'n', in: 'query', example: Infinity, schema }] });
    expect(schemaOf(operation)['properties']).toEqual({ n: { type: 'number', enum: [1] } });
  });

  it('leaves out keywords that JSON Schema does not take as they stand', () => {
    const schema = { type: 'array', prefixItems: [], dependentRequired: { a: ['b', 'b'] } };
    expect(schemaOf(withBody(schema))['properties']).toEqual({
      body: { type: 'array', dependentRequired: { a: ['b'] } },
    });
  });

  it.each([
    ['/^a$/', '^a$'],
    ['/^a$/i', undefined],
    ['\\Aab\\z', '^ab$'],
    ['^\\Qa\\E$', undefined],
    ['^a\\-b\\@$', '^a-b@$'],
  ])('reads the pattern %s', (pattern, portable) => {
    const operation = one({ parameters: [{ name: 'p', in: 'query', schema: { type: 'string', pattern } }] });
    expect((schemaOf(operation)['properties'] as { p: object }).p).toEqual({
      type: 'string',
      ...(portable !== undefined && { pattern: portable }),
    });
  });

  it('names no password of a server that is left out', () => {
    const { notes } = read({ servers: [{ url: 'https://me:hunter2@x.example' }], paths: {} });
    expect(JSON.stringify(notes)).not.toContain('hunter2');
  });

  it('sends text of a media type nobody knows as it stands', () => {
    const content = { 'application/x-custom': { schema: { type: 'string' } } };
    expect(send(one({ requestBody: { content } }), { body: 'a"b' }).body!.content).toBe('a"b');
  });
});

describe('what documents say that nothing could fit', () => {
  const closed = (name: string, more: object = {}) => ({
    type: 'object',
    additionalProperties: false,
    properties: { [name]: { type: 'string' } },
    required: [name],
    ...more,
  });

  it.each([
    ['closed parts', { allOf: [closed('a'), closed('b')] }],
    [
      'closed parts that are referred to',
      { allOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }] },
    ],
    ['a closed schema around its parts', { ...closed('a'), allOf: [closed('b')] }],
    ['a part made of parts', { allOf: [{ allOf: [closed('a')] }, closed('b')] }],
  ])('lets %s of allOf through, with a note', (_what, schema) => {
    const operation = withBody(schema, { A: closed('a'), B: closed('b') });
    expect(JSON.parse(send(operation, { a: '1', b: '2' }).body!.content as string)).toEqual({
      a: '1',
      b: '2',
    });
    expect(() => send(operation, { a: '1' })).toThrow('b is required');
    expect(codesOf(operation)).toContain('all_of_closed');
  });

  it('keeps parts closed that name the same properties', () => {
    const operation = withBody({ allOf: [closed('a'), closed('a')] });
    expect(() => send(operation, { a: '1', c: '2' })).toThrow('c');
    expect(codesOf(operation)).not.toContain('all_of_closed');
  });

  it('takes no alternative for a list because one of them is', () => {
    const schema = { items: { type: 'string' }, oneOf: [{ type: 'array' }, { type: 'string' }] };
    const operation = one({ parameters: [{ name: 'p', in: 'query', schema }] }, {}, '/a', 'get');
    expect(send(operation, { p: 'x' }).target).toBe('/a?p=x');
    expect(send(operation, { p: ['x', 'y'] }).target).toBe('/a?p=x&p=y');
    expect(() => send(operation, { p: 1 })).toThrow('p');
  });

  it('sends fields under a type of bytes as JSON', () => {
    const content = { 'application/octet-stream': { schema: closed('a') } };
    const operation = one({ requestBody: { required: true, content } });
    const { body } = send(operation, { a: '1' });
    expect([body!.contentType, body!.content]).toEqual(['application/octet-stream', '{"a":"1"}']);
    expect(codesOf(operation)).toContain('media_type_guessed');
  });

  it('takes a field that only the body has under the name of another argument', () => {
    const operation = one(
      {
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        requestBody: {
          content: {
            'application/json': { schema: { type: 'object', properties: { a: { type: 'string' } } } },
          },
        },
      },
      {},
      '/a/{id}',
      'put',
    );
    const { target, body } = send(operation, { id: '1', a: 'x', body_id: 2 });
    expect([target, body!.content]).toEqual(['/a/1', '{"a":"x","id":2}']);
  });
});

describe('what authors say about agents', () => {
  const shown = (document: object, path: object, operation: object): boolean =>
    read({ paths: { '/a': { get: operation, ...path } }, ...document }).operations[0]!.content !== null;

  it.each<[string, boolean, object, object, object]>([
    ['nothing', true, {}, {}, {}],
    ['x-internal on the operation', false, {}, {}, { 'x-internal': true }],
    ['x-internal on the path', false, {}, { 'x-internal': true }, {}],
    ['x-internal on the document', false, { 'x-internal': true }, {}, {}],
    ['x-internal, taken back by the operation', true, { 'x-internal': true }, {}, { 'x-internal': false }],
    ['x-speakeasy-ignore on the operation', false, {}, {}, { 'x-speakeasy-ignore': true }],
    ['x-mcp: false on the document', false, { 'x-mcp': false }, {}, {}],
    ['x-mcp: false on the document, true on the operation', true, { 'x-mcp': false }, {}, { 'x-mcp': true }],
    ['x-mcp: false on the path', false, {}, { 'x-mcp': false }, {}],
    ['x-speakeasy-mcp disabled on the document', false, { 'x-speakeasy-mcp': { disabled: true } }, {}, {}],
    [
      'x-speakeasy-mcp disabled on the document, enabled on the operation',
      true,
      { 'x-speakeasy-mcp': { disabled: true } },
      {},
      { 'x-speakeasy-mcp': { disabled: false, name: 'mine' } },
    ],
    ['a name for the whole document', true, { 'x-mcp': { name: 'all' } }, {}, {}],
  ])('hides or shows: %s', (_what, expected, document, path, operation) => {
    expect(shown(document, path, operation)).toBe(expected);
  });
});

describe('characters that nobody sees', () => {
  const hidden = '\u202e\u200b\u0007';
  it('leave titles, descriptions, values, defaults and examples', () => {
    const schema = {
      type: 'string',
      title: `t${hidden}`,
      description: `d${hidden}`,
      enum: [`a${hidden}`, 'b'],
      default: `b${hidden}`,
      examples: [`a${hidden}`, { [`k`]: [`v${hidden}`] }],
      'x-enum-varnames': [`First${hidden}`, 'Second'],
    };
    const operation = one({
      summary: `s${hidden}`,
      parameters: [
        { name: 'p', in: 'query', schema },
        { name: 'q', in: 'query', example: `e${hidden}`, schema: { type: 'string' } },
      ],
      requestBody: {
        content: {
          'application/json': { schema: { type: 'object', properties: { c: { const: `c${hidden}` } } } },
        },
      },
    });
    // oxlint-disable-next-line no-control-regex -- these are the ones that must be gone
    expect(JSON.stringify(operation.content)).not.toMatch(/[\u202e\u200b]|\\u0007/);
    expect(codesOf(operation)).toContain('enum_cleaned');
    expect(send(operation, { p: 'a' }).target).toBe('/a?p=a');
  });
});
