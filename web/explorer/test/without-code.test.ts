import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

const library = new URL('../dist/index.js', import.meta.url).href;

/** Calls the package in a process that forbids generating code, as workers do. */
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

describe('a worker', () => {
  it('can bundle the package, without anything from Node', async () => {
    const { outputFiles, metafile } = await build({
      entryPoints: [fileURLToPath(library)],
      bundle: true,
      write: false,
      metafile: true,
      platform: 'neutral',
      mainFields: ['module', 'main'],
      conditions: ['workerd', 'worker', 'browser'],
      format: 'esm',
    });
    expect(Object.values(metafile.outputs).flatMap((output) => output.imports)).toEqual([]);
    const program = `${outputFiles[0]?.text ?? ''};
      const handle = createHandler([{ name: 'a/b', inputSchema: { required: ['x'] } }], async () => [[], false, 't'], { allowExecute: true });
      const ask = async (path, method) => (await handle(new Request('https://worker.example' + path, { method, body: '{}' }))).text();
      console.log(await ask('/tools/a%2Fb/call', 'POST'), await ask('/tools/a%2Fb/validate', 'POST'));`;
    const folder = await mkdtemp(join(tmpdir(), 'handrail-worker-'));
    try {
      await writeFile(join(folder, 'worker.mjs'), program);
      const flags = ['--disallow-code-generation-from-strings', join(folder, 'worker.mjs')];
      const { stdout } = await promisify(execFile)(process.execPath, flags);
      expect(stdout.trim()).toBe(
        `{"content":[],"isError":false,"_meta":{"_trace_id":"t"}} {"valid":false,"errors":[{"path":"","message":"must have required property 'x'","keyword":"required"}]}`,
      );
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    }
  });
});

describe('where code generation is forbidden', () => {
  it('validates the same way, with the same messages', async () => {
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
    [{ properties: { a: { minLength: 'x' } } }],
    [{ properties: [] }],
    [{ not: { patternProperties: { '[': true } } }],
  ])('still says that %j cannot be used', async (schema) => {
    expect(await validateWithoutCode(schema, {})).toMatchObject({
      valid: false,
      errors: [{ keyword: 'schema' }],
    });
  });
});
