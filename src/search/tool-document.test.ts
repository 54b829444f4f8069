import { describe, expect, it } from 'vitest';
import type { Operation } from '../domain/operation.ts';
import { documentOf } from './tool-document.ts';

const api = { slug: 'films', name: 'The Film Base' };

function read(operation: Partial<Operation>) {
  return documentOf(
    'key',
    {
      name: 'search_person',
      title: 'People',
      description: 'Searches.',
      tags: ['Search', 'People'],
      annotations: {},
      operation: { method: 'GET', path: '/search', parameters: [], ...operation },
    },
    api,
  );
}

describe('what search reads of a tool', () => {
  it('is what it is called, tagged and said to do', () => {
    expect(read({})).toMatchObject({
      api: 'films',
      group: 'films Search',
      groupWords: ['films', 'The Film Base', 'Search', 'People'],
      description: 'People. Searches.',
    });
  });

  it('is a title once, even if it is the shortened beginning of the description', () => {
    const words = (title: string, description: string) =>
      documentOf(
        'key',
        {
          name: 'x',
          title,
          description,
          tags: [],
          annotations: {},
          operation: { method: 'GET', path: '/x', parameters: [] },
        },
        api,
      ).description;
    expect(words('Returns every person who…', 'Returns every  person who works here.')).toBe(
      'Returns every  person who works here.',
    );
    expect(words('People', 'GET /x')).toBe('People. ');
  });

  it('is what it takes, but for what the model does not see', () => {
    const { parameters } = read({
      parameters: [
        { name: 'q', in: 'query', required: true, schema: { type: 'string', description: 'Words.' } },
        { name: 'sort', in: 'query', required: false, schema: { type: 'string', enum: ['name', 'age'] } },
        { name: 'key', in: 'query', required: true, schema: { type: 'string' }, fixed: 'secret' },
        { name: 'name', in: 'query', required: true, schema: { type: 'integer' }, default: 1 },
      ],
    });
    expect(parameters).toEqual([
      { name: 'q', description: 'Words.', place: 'query', required: true, freeText: true },
      { name: 'sort', description: '', place: 'query', required: false, freeText: false },
      { name: 'name', description: '', place: 'query', required: false, freeText: false },
    ]);
  });

  it('is what it gives, through references, lists and unions, and comes to an end', () => {
    const person = {
      type: 'object',
      properties: {
        id: {},
        films: { type: 'array', items: { oneOf: [{ properties: { title: {} } }] } },
        next: { $ref: '#/$defs/person' },
      },
    };
    const { replyFields, repliesMany } = read({ replySchema: { $ref: '#/$defs/person', $defs: { person } } });
    expect({ replyFields, repliesMany }).toEqual({
      replyFields: ['id', 'films', 'next', 'title'],
      repliesMany: true,
    });
    expect(read({}).repliesMany).toBeUndefined();
  });
});
