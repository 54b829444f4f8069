import { describe, expect, it } from 'vitest';
import { parseImport } from '../../reading/parse-import.ts';

const schema = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';
const parse = (value: unknown) =>
  parseImport({ files: [{ name: 'collection', content: Buffer.from(JSON.stringify(value)) }] }).apis[0]!;
const read = (item: unknown[], rest: object = {}) => parse({ info: { name: 'C', schema }, item, ...rest });
const request = (fields: object, rest: object = {}) => ({
  name: 'r',
  request: { method: 'POST', url: 'https://x.example/a', ...fields },
  ...rest,
});
const operationOf = (item: object) => read([item]).operations[0]!.content!.operation;

describe('Postman collections', () => {
  it('reads a collection in the envelope of Postman’s own API', () => {
    const collection = { info: { name: 'C', schema }, item: [request({})] };
    expect(parse({ collection }).operations).toHaveLength(1);
  });

  it('reads a collection without any word about itself', () => {
    const api = parse({ item: [{ name: 'f', item: [request({})] }] });
    expect([api.kind, api.name, api.operations.length]).toEqual(['postman', 'Postman collection', 1]);
    expect(() => parse({ item: [{ name: 'a', price: 3 }] })).toThrow('not in a format that can be imported');
  });

  it('fills in variables of folders, and variables in variables', () => {
    const { baseUrls, operations } = read(
      [
        {
          name: 'f',
          variable: [{ key: 'v', value: 'v2' }],
          item: [request({ url: '{{base}}/{{v}}/a' })],
        },
      ],
      {
        variable: [
          { key: 'base', value: 'https://{{host}}' },
          { key: 'host', value: 'x.example' },
        ],
      },
    );
    expect([baseUrls, operations[0]!.key]).toEqual([['https://x.example'], 'POST /v2/a']);
  });

  it('reads headers that are one text, and leaves out those commented away', () => {
    const { parameters } = operationOf(request({ header: 'X-A: 1\n// X-B: 2\nX-C: a:b' }));
    expect(parameters.map(({ name, fixed }) => [name, fixed])).toEqual([
      ['X-A', '1'],
      ['X-C', 'a:b'],
    ]);
  });

  it('keeps what an author wrote into headers and values, unless its form is a secret’s', () => {
    const { parameters } = operationOf(
      request({
        url: 'https://x.example/a?cursor=Zm9vYmFyMTIzNDU2',
        header: [
          { key: 'X-Build', value: 'release-2024-web-client' },
          { key: 'X-Who', value: 'ghp_0123456789abcdefghijABCDEFGHIJ456789' },
        ],
      }),
    );
    expect(parameters).toMatchObject([
      { name: 'cursor', schema: { examples: ['Zm9vYmFyMTIzNDU2'] } },
      { name: 'X-Build', fixed: 'release-2024-web-client' },
    ]);
  });

  it('takes the shape of the reply from a saved example, not its content', () => {
    const operation = operationOf(
      request(
        {},
        {
          response: [
            { code: 404, body: '{}' },
            { code: 200, body: '{"id":7}' },
          ],
        },
      ),
    );
    expect(operation.replySchema).toEqual({ type: 'object', properties: { id: { type: 'number' } } });
  });

  it('reads an address in pieces, some of them objects', () => {
    const url = { protocol: 'https', host: ['x', 'example'], path: ['a', { type: 'string', value: 'b' }] };
    expect(operationOf(request({ url })).path).toBe('/a/b');
  });

  it('leaves out a body that is switched off', () => {
    const { body } = operationOf(request({ body: { mode: 'raw', raw: '{"a":{{b}}}', disabled: true } }));
    expect(body).toBeUndefined();
  });

  it('reads form text, and variables and the name of a GraphQL operation', () => {
    const form = operationOf(request({ body: { mode: 'urlencoded', urlencoded: 'a=1&b=2' } }));
    expect(form.parameters.map(({ name }) => name)).toEqual(['a', 'b']);
    const graphql = { query: '{ me }', operationName: 'Me', variables: { a: 1 } };
    expect(operationOf(request({ body: { mode: 'graphql', graphql } })).parameters).toMatchObject([
      { name: 'query' },
      { name: 'variables', schema: { examples: [{ a: 1 }] } },
      { name: 'operationName' },
    ]);
  });

  it('gives variables in a body names that every client takes, apart from those of the path', () => {
    const { body, parameters } = operationOf(
      request({ url: 'https://x.example/:id', body: { mode: 'raw', raw: '{"a":"{{$guid}}","b":{{id}}}' } }),
    );
    expect(parameters.map(({ name }) => name)).toEqual(['id', 'guid', 'body_id']);
    expect(body!.template).toBe('{"a":"{{guid}}","b":{{body_id}}}');
  });

  it('says when a script would have run before the request', () => {
    const event = [{ listen: 'prerequest', script: { exec: ['pm.variables.set("a", 1)'] } }];
    const { operations } = read([
      { name: 'f', event, item: [request({})] },
      request({}, { event: [{ listen: 'test', script: { exec: ['pm.test()'] } }] }),
    ]);
    expect(operations.map(({ notes }) => notes.map(({ code }) => code))).toEqual([['scripts_ignored'], []]);
  });

  it.each([
    [{ requests: [], order: [] }, 'version 1'],
    [{ _postman_variable_scope: 'environment', values: [] }, 'environment'],
  ])('refuses %j with what to do', (value, message) => {
    expect(() => parse(value)).toThrow(message);
  });
});
