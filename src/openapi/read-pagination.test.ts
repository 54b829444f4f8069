import { describe, expect, it } from 'vitest';
import { readDocument } from './read-document.ts';

function read(operation: object, method = 'get', rest: object = {}) {
  const document = {
    openapi: '3.1.0',
    info: { title: 'T', version: '1' },
    servers: [{ url: 'https://x.example' }],
    paths: { '/things': { [method]: operation } },
    ...rest,
  };
  return readDocument({ root: 'o', files: new Map([['o', document]]) }).operations[0]!.content!.operation;
}

const query = (...names: string[]) =>
  names.map((name) => ({ name, in: 'query', schema: { type: 'string' } }));
const replying = (properties: object) => ({
  200: { description: '', content: { 'application/json': { schema: { type: 'object', properties } } } },
});
const list = { type: 'array', items: { type: 'string' } };

describe('how a list goes on', () => {
  it.each<[string, object, object]>([
    [
      'Speakeasy’s extension',
      {
        parameters: query('cursor', 'limit'),
        'x-speakeasy-pagination': {
          type: 'cursor',
          inputs: [
            { name: 'cursor', in: 'parameters', type: 'cursor' },
            { name: 'limit', in: 'parameters', type: 'limit' },
          ],
          outputs: { results: '$.data.items', nextCursor: '$.data.next' },
        },
      },
      { kind: 'cursor', parameter: 'cursor', size: 'limit', items: 'data.items', next: 'data.next' },
    ],
    [
      'Azure’s, with its defaults',
      { 'x-ms-pageable': {} },
      { kind: 'url', items: 'value', next: 'nextLink' },
    ],
    [
      'Azure’s, with names',
      { 'x-ms-pageable': { nextLinkName: '@odata.nextLink', itemName: 'rows' } },
      { kind: 'url', items: 'rows', next: '@odata.nextLink' },
    ],
    [
      'Fern’s',
      {
        parameters: query('page_offset'),
        'x-fern-pagination': { offset: '$request.page_offset', results: '$response.data' },
      },
      { kind: 'offset', parameter: 'page_offset', items: 'data' },
    ],
    [
      'x-pagination',
      {
        parameters: query('p', 'n'),
        'x-pagination': { type: 'page', parameter: 'p', limit: 'n', items: 'rows' },
      },
      { kind: 'page', parameter: 'p', size: 'n', items: 'rows' },
    ],
    [
      'a Link header',
      {
        parameters: query('per_page'),
        responses: { 200: { description: '', headers: { Link: { schema: {} } } } },
      },
      { kind: 'link' },
    ],
    [
      'page and per_page',
      { parameters: query('page', 'per_page') },
      { kind: 'page', parameter: 'page', size: 'per_page' },
    ],
    [
      'names with brackets',
      { parameters: query('page[number]', 'page[size]') },
      { kind: 'page', parameter: 'page_number', size: 'page_size' },
    ],
    [
      'offset and limit',
      { parameters: query('limit', 'offset') },
      { kind: 'offset', parameter: 'offset', size: 'limit' },
    ],
    [
      'a token, a list and what leads on',
      {
        parameters: query('pageToken', 'pageSize'),
        responses: replying({ items: list, nextPageToken: { type: 'string' } }),
      },
      { kind: 'cursor', parameter: 'pageToken', size: 'pageSize', items: 'items', next: 'nextPageToken' },
    ],
    [
      'what leads on further down',
      {
        parameters: query('cursor'),
        responses: replying({
          data: list,
          meta: { type: 'object', properties: { next_cursor: { type: 'string' } } },
        }),
      },
      { kind: 'cursor', parameter: 'cursor', items: 'data', next: 'meta.next_cursor' },
    ],
  ])('is read from %s', (_what, operation, expected) => {
    expect(read(operation).pagination).toEqual(expected);
  });

  it.each<[string, object, string]>([
    ['a search without pages', { parameters: query('q', 'sort') }, 'get'],
    ['a size alone', { parameters: query('limit') }, 'get'],
    ['what is not read', { parameters: query('page', 'limit') }, 'post'],
  ])('is not made up for %s', (_what, operation, method) => {
    expect(read(operation, method).pagination).toBeUndefined();
  });

  it('keeps the links of a reply, also those that are referred to', () => {
    const link = { operationId: 'getThing', parameters: { id: '$response.body#/id' } };
    const responses = {
      201: { description: '', links: { one: link, two: { $ref: '#/components/links/Two' } } },
    };
    const components = { links: { Two: { operationRef: '#/paths/~1things/get' } } };
    expect(read({ responses }, 'post', { components }).links).toEqual([
      { name: 'one', to: 'getThing', parameters: { id: '$response.body#/id' } },
      { name: 'two', to: '#/paths/~1things/get', parameters: {} },
    ]);
  });
});
