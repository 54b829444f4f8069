import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const library = new URL('../dist/index.js', import.meta.url).href;

/** Asks the package in a process that forbids code made from strings, as workers do. */
async function validateWithoutCode(schema: unknown, args: unknown): Promise<unknown> {
  const program = `
    import { createHandler } from ${JSON.stringify(library)};
    const handle = createHandler([{ name: 't', inputSchema: ${JSON.stringify(schema)} }], async () => [[], false]);
    const body = ${JSON.stringify(JSON.stringify(args))};
    const answer = await handle(new Request('http://localhost/tools/t/validate', { method: 'POST', body }));
    console.log(await answer.text());`;
  const flags = ['--disallow-code-generation-from-strings', '--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, flags);
  return JSON.parse(stdout) as unknown;
}

describe('where no code may be made from strings', () => {
  it('validates all the same, with the same words', async () => {
    const schema = {
      type: 'object',
      required: ['when'],
      properties: {
        when: { type: 'string', format: 'date-time' },
        pair: { prefixItems: [{ type: 'string' }], items: false },
      },
    };
    expect(await validateWithoutCode(schema, { when: '2026-01-02T03:04:05Z' })).toEqual({ valid: true });
    expect(await validateWithoutCode(schema, { when: 'soon', pair: ['a', 1] })).toEqual({
      valid: false,
      errors: [
        { path: '/when', message: 'must match format "date-time"', keyword: 'format' },
        { path: '/pair', message: 'must NOT have more than 1 items', keyword: 'items' },
      ],
    });
  });

  it.each([
    [{ type: 'no-such-type' }],
    [{ properties: { a: { items: { type: 'nonsense' } } } }],
    [{ $defs: { a: { $ref: '#/nowhere' } } }],
    [{ anyOf: [{ pattern: '(' }] }],
    [{ required: 'a' }],
  ])('still says that %j cannot be used', async (schema) => {
    expect(await validateWithoutCode(schema, {})).toMatchObject({
      valid: false,
      errors: [{ keyword: 'schema' }],
    });
  });
});
