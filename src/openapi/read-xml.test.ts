import { describe, expect, it } from 'vitest';
import type { Api } from '../domain/api.ts';
import type { Tool } from '../domain/tool.ts';
import { validate } from '../pipeline/arguments/validate.ts';
import { compile } from '../pipeline/compile.ts';
import { resolve } from '../pipeline/request/resolve.ts';
import { readDocument } from './read-document.ts';

const api = {
  id: 'a',
  slug: 'a',
  baseUrl: 'https://x.example',
  headers: {},
  auth: { kind: 'none' },
  limits: {},
} as unknown as Api;

function read(schema: object, schemas: object = {}, openapi = '3.0.3') {
  const requestBody = { required: true, content: { 'application/xml': { schema } } };
  const document = {
    openapi,
    info: { title: 'T', version: '1' },
    servers: [{ url: 'https://x.example' }],
    paths: { '/a': { post: { requestBody, responses: {} } } },
    components: { schemas },
  };
  return readDocument({ root: 'o', files: new Map([['o', document]]) }).operations[0]!;
}

function send(schema: object, args: object, schemas: object = {}, openapi?: string): string {
  const { content } = read(schema, schemas, openapi);
  const tool = compile(api, { ...content!, id: 't', apiId: 'a', reply: {}, limits: {} } as unknown as Tool);
  const { body, headers } = resolve(tool, validate(tool, args));
  expect(headers['content-type']).toBe('application/xml');
  return (body!.content as string).replace('<?xml version="1.0" encoding="UTF-8"?>\n', '');
}

const text = { type: 'string' };
const list = (xml: object, items: object = {}) => ({ type: 'array', items: { ...text, ...items }, xml });
const person = {
  type: 'object',
  properties: { id: { type: 'integer', xml: { attribute: true } }, name: text },
};
const around = (animals: object) => ({ type: 'object', xml: { name: 'zoo' }, properties: { animals } });
const animals = { animals: ['a', 'b'] };

// The first eleven are the examples of https://spec.openapis.org/oas/v3.1.1#xml-object-examples.
const cases: readonly [string, object, object, string][] = [
  ['a property without a word', around(text), { animals: 'a' }, '<zoo><animals>a</animals></zoo>'],
  [
    'a list',
    around({ type: 'array', items: text }),
    animals,
    '<zoo><animals>a</animals><animals>b</animals></zoo>',
  ],
  [
    'a property with another name',
    around({ ...text, xml: { name: 'animal' } }),
    { animals: 'a' },
    '<zoo><animal>a</animal></zoo>',
  ],
  [
    'prefix, namespace and attribute',
    {
      type: 'object',
      xml: { name: 'Person' },
      properties: {
        id: { type: 'integer', format: 'int32', xml: { attribute: true } },
        name: { ...text, xml: { namespace: 'https://example.com/schema/sample', prefix: 'sample' } },
      },
    },
    { id: 123, name: 'example' },
    '<Person id="123"><sample:name xmlns:sample="https://example.com/schema/sample">example</sample:name></Person>',
  ],
  [
    'items with another name',
    around(list({}, { xml: { name: 'animal' } })),
    animals,
    '<zoo><animal>a</animal><animal>b</animal></zoo>',
  ],
  [
    'the name of a list that is not wrapped, which says nothing',
    around(list({ name: 'aliens' }, { xml: { name: 'animal' } })),
    animals,
    '<zoo><animal>a</animal><animal>b</animal></zoo>',
  ],
  [
    'a wrapped list',
    around(list({ wrapped: true })),
    animals,
    '<zoo><animals><animals>a</animals><animals>b</animals></animals></zoo>',
  ],
  [
    'a wrapped list with named items',
    around(list({ wrapped: true }, { xml: { name: 'animal' } })),
    animals,
    '<zoo><animals><animal>a</animal><animal>b</animal></animals></zoo>',
  ],
  [
    'a wrapped list with a name, and named items',
    around(list({ name: 'aliens', wrapped: true }, { xml: { name: 'animal' } })),
    animals,
    '<zoo><aliens><animal>a</animal><animal>b</animal></aliens></zoo>',
  ],
  [
    'a wrapped list with a name',
    around(list({ name: 'aliens', wrapped: true })),
    animals,
    '<zoo><aliens><aliens>a</aliens><aliens>b</aliens></aliens></zoo>',
  ],
  [
    'a property whose schema is referred to',
    around({ $ref: '#/components/schemas/Person' }),
    { animals: { id: 1, name: 'n' } },
    '<zoo><animals id="1"><name>n</name></animals></zoo>',
  ],
  [
    'a body that is a component',
    { $ref: '#/components/schemas/Person' },
    { id: 1, name: 'n' },
    '<Person id="1"><name>n</name></Person>',
  ],
  [
    'a body that is a list',
    { type: 'array', xml: { name: 'people' }, items: { ...person, xml: { name: 'person' } } },
    { body: [{ id: 1 }, { name: 'b' }] },
    '<people><person id="1"/><person><name>b</name></person></people>',
  ],
  [
    'the order of the document, and what it does not name behind',
    around(text),
    { other: { x: [1, 2] }, animals: 'a' },
    '<zoo><animals>a</animals><other><x>1</x><x>2</x></other></zoo>',
  ],
  [
    'characters that mean something in XML',
    { type: 'object', xml: { name: 'a' }, properties: { t: text, u: { ...text, xml: { attribute: true } } } },
    { t: '<b>&"\'</b>\n', u: '"<&>\n' },
    '<a u="&quot;&lt;&amp;&gt;&#10;"><t>&lt;b&gt;&amp;&quot;\'&lt;/b&gt;\n</t></a>',
  ],
  ['nothing for null', around({ ...text, nullable: true }), { animals: null }, '<zoo/>'],
  [
    'a namespace of its own',
    { type: 'object', xml: { name: 'feed', namespace: 'urn:f' }, properties: { t: text } },
    { t: 'x' },
    '<feed xmlns="urn:f"><t>x</t></feed>',
  ],
  [
    'a schema that leads back to itself',
    { $ref: '#/components/schemas/Tree' },
    { name: 'a', children: [{ name: 'b', children: [{ name: 'c' }] }] },
    '<Tree name="a"><children><child name="b"><children><child name="c"/></children></child></children></Tree>',
  ],
];

const schemas = {
  Person: person,
  Tree: {
    type: 'object',
    properties: {
      name: { ...text, xml: { attribute: true } },
      children: {
        type: 'array',
        xml: { wrapped: true },
        items: { allOf: [{ $ref: '#/components/schemas/Tree' }], xml: { name: 'child' } },
      },
    },
  },
};

describe('XML bodies', () => {
  it.each(cases)('write %s', (_what, schema, args, expected) => {
    expect(send(schema, args, schemas)).toBe(expected);
    if (!JSON.stringify(schema).includes('nullable'))
      expect(send(schema, args, schemas, '3.1.0')).toBe(expected);
  });

  it('say what is assumed when the outermost element has no name', () => {
    const schema = { type: 'object', properties: { a: text } };
    expect(send(schema, { a: 'x' })).toBe('<root><a>x</a></root>');
    expect(read(schema).notes.map(({ code }) => code)).toContain('xml_root_unnamed');
  });

  it.each([
    ['a name that XML cannot have', { 'a b': 1 }, 'cannot be the name of an element'],
    ['a name that would close its element', { 'a><b': 1 }, 'cannot be the name of an element'],
    [
      'a character that XML cannot carry',
      { animals: 'a\u0000' },
      'contains a character that XML cannot carry',
    ],
  ])('refuse %s', (_what, args, message) => {
    expect(() => send(around(text), args)).toThrow(message);
  });

  it('stay one text where the document describes no fields', () => {
    const { operation } = read(text).content!;
    expect(operation.body!.xml).toBeUndefined();
    expect(operation.parameters[0]!.schema['type']).toBe('string');
  });
});
