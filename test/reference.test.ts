import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cliReference } from '../src/cli/reference.ts';
import { configReference } from '../src/config/reference.ts';
import { errorReference } from '../src/domain/errors.ts';
import { workedErrors } from '../src/pipeline/reply/errors/worked-errors.ts';

// Pages made from the program's own tables; "npm run docs" writes them anew.
describe('the reference', () => {
  it.each([
    ['configuration', () => configReference()],
    ['errors', () => errorReference() + workedErrors()],
    ['cli', () => cliReference()],
  ])('describes exactly what the program has: %s', async (page, render) => {
    const written = readFileSync(new URL(`../docs/reference/${page}.md`, import.meta.url), 'utf8');
    expect(written, 'run "npm run docs"').toBe(await render());
  });
});
