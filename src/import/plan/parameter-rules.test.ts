import { describe, expect, it } from 'vitest';
import type { ApiDescription } from '../../domain/description.ts';
import { parseImport } from '../reading/parse-import.ts';
import { applyParameterRules } from './parameter-rules.ts';

const query = (name: string, more: object = {}) => ({
  name,
  in: 'query',
  schema: { type: 'string' },
  ...more,
});
const document = {
  openapi: '3.0.3',
  info: { title: 'T', version: '1' },
  servers: [{ url: 'https://api.example.com' }],
  paths: {
    '/x': {
      get: {
        operationId: 'x',
        parameters: [
          query('prettyPrint'),
          query('alt', { required: true }),
          query('filter'),
          { name: 'User-Agent', in: 'header', schema: { type: 'string' } },
        ],
        responses: {},
      },
    },
  },
};

function hiddenOf({ operations }: ApiDescription): string[] {
  return operations[0]!.content!.operation.parameters.filter(({ hidden }) => hidden).map(({ name }) => name);
}

describe('parameters for format, debugging or transport', () => {
  const files = [{ name: 'a.json', content: Buffer.from(JSON.stringify(document)) }];
  const [read] = parseImport({ files }).apis;

  it('are hidden where they are optional, and the plan says so', () => {
    const applied = applyParameterRules(read!, {});
    expect(hiddenOf(applied)).toEqual(['prettyPrint', 'User-Agent']);
    expect(applied.notes.at(-1)).toEqual({
      code: 'technical_parameters_hidden',
      message:
        'Hidden from models, because they are about format, debugging or transport: prettyPrint, User-Agent. Show them with --technical-params expose.',
    });
  });

  it('are shown where a rule says so', () => {
    const applied = applyParameterRules(read!, { technical: 'expose' });
    expect(hiddenOf(applied)).toEqual([]);
    expect(applied.notes).toEqual(read!.notes);
  });
});
