import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonSchema } from '../../src/domain/json-schema.ts';
import { HandrailError } from '../../src/domain/errors.ts';
import { inputSchemaOf } from '../../src/domain/tool.ts';
import { parseImport } from '../../src/import/parse-import.ts';
import { planImport } from '../../src/import/plan.ts';
import { corpusDocuments, corpusFolder, inputOf } from './corpus.ts';

const documents = corpusDocuments();
const totals = { operations: 0, imported: 0 };

describe('every document of the corpus', () => {
  it('is there', () => {
    expect(documents.length).toBeGreaterThan(40);
  });

  it.each(documents.map((entry) => [entry.file, entry] as const))(
    '%s imports with every operation accounted for',
    (_file, entry) => {
      const { apis } = parseImport(inputOf(entry));
      const operations = apis.flatMap((api) => api.operations);
      if (entry.operations !== undefined) expect(operations.length).toBe(entry.operations);
      for (const api of apis) {
        const plan = planImport(
          api,
          { api: null, tools: [], isSlugTaken: () => false },
          { documentHash: '', nowMs: 0 },
        );
        expect(plan.report.length).toBe(api.operations.length);
        expect(plan.added.length).toBe(api.operations.filter(({ content }) => content !== null).length);
        const names = plan.added.map(({ name }) => name);
        expect(new Set(names).size).toBe(names.length);
        for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        for (const line of plan.report)
          if (line.fidelity === 'skipped') expect(line.notes.length).toBeGreaterThan(0);
      }
      for (const { content } of operations) {
        totals.operations++;
        if (!content) continue;
        totals.imported++;
        expectSound(inputSchemaOf(content.operation));
      }
    },
  );

  it('imports at least 99 % of all operations, exactly or with a note', () => {
    expect(totals.imported / totals.operations).toBeGreaterThanOrEqual(0.99);
  });
});

// Compiling five thousand schemas takes minutes: all are checked against the meta-schema, some are compiled as well.
const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
let seen = 0;

function expectSound(schema: JsonSchema): void {
  expect(ajv.validateSchema(schema), ajv.errorsText()).toBe(true);
  const defs = schema['$defs'] as Record<string, unknown> | undefined;
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(walk);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key === '$ref' && typeof inner === 'string')
        expect(Object.keys(defs ?? {})).toContain(inner.slice('#/$defs/'.length));
      else if (key === 'pattern' && typeof inner === 'string')
        expect(() => new RegExp(inner, 'u')).not.toThrow();
      else if (!['enum', 'const', 'default', 'examples'].includes(key)) walk(inner);
    }
  };
  walk(schema);
  if (seen++ % 50 === 0) {
    const fresh = new Ajv2020({ strict: false, validateFormats: false, logger: false });
    expect(() => fresh.compile(schema)).not.toThrow();
  }
}

describe('documents that are wrong on purpose', () => {
  const folder = join(corpusFolder(), 'broken');
  it.each(readdirSync(folder))(
    '%s ends in a message or in notes, never in an exception of another kind',
    (name) => {
      try {
        parseImport({ files: [{ name, bytes: readFileSync(join(folder, name)) }] });
      } catch (error) {
        expect(error).toBeInstanceOf(HandrailError);
        expect((error as HandrailError).code).toBe('import_unreadable');
      }
    },
  );
});
