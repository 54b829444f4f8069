import { describe, expect, it } from 'vitest';
import { parseImport } from '../../reading/parse-import.ts';

function schemaOf(parameter: object) {
  const provider = {
    name: 'P',
    code: 'p',
    baseUrl: 'https://x.example',
    authenticationType: 'NONE',
    tools: [{ code: 't', endpointPath: '/t', httpMethod: 'POST', parameters: [{ name: 'p', ...parameter }] }],
  };
  const { apis } = parseImport({
    files: [{ name: 'providers', content: Buffer.from(JSON.stringify([provider])) }],
  });
  return apis[0]!.operations[0]!.content!.operation.parameters[0]!.schema;
}

describe('a HandsAI parameter of type ARRAY', () => {
  it.each<[what: string, parameter: object, items: object]>([
    ['text when nothing says otherwise, as HandsAI lists it', {}, { type: 'string' }],
    ['text when its default is empty', { defaultValue: '[]' }, { type: 'string' }],
    ['text when its default is no array', { defaultValue: 'a,b' }, { type: 'string' }],
    ['what its default holds', { defaultValue: '[1, 2]' }, { type: 'integer' }],
    ['numbers when one of them has a fraction', { defaultValue: '[1, 2.5]' }, { type: 'number' }],
    ['objects', { defaultValue: '[{"a": 1}]' }, { type: 'object' }],
    ['anything when its default is mixed', { defaultValue: '["a", 1]' }, {}],
    [
      'what its entry says',
      { items: { type: 'number', minimum: 1 }, defaultValue: '["a"]' },
      { type: 'number', minimum: 1 },
    ],
    ['what its entry says in capitals', { items: { type: 'BOOLEAN' } }, { type: 'boolean' }],
    ['text when its entry says nothing that can be read', { items: { type: 'thing' } }, { type: 'string' }],
  ])('holds %s', (_what, parameter, items) => {
    expect(schemaOf({ type: 'ARRAY', ...parameter })).toEqual({ type: 'array', items });
    expect(schemaOf({ type: 'array', ...parameter })).toEqual({ type: 'array', items });
  });

  it('gives no other type elements', () => {
    expect(schemaOf({ type: 'STRING', items: { type: 'string' } })).toEqual({ type: 'string' });
  });
});
