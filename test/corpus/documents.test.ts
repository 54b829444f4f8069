import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonSchema } from '../../src/domain/json-schema.ts';
import { HandrailError } from '../../src/domain/errors.ts';
import { inputSchemaOf } from '../../src/domain/tool.ts';
import { parseImport } from '../../src/import/reading/parse-import.ts';
import { planImport } from '../../src/import/plan/plan.ts';
import { corpusDocuments, corpusFolder, inputOf } from './corpus.ts';

const documents = corpusDocuments();
const totals = { operations: 0, imported: 0 };

describe('every document of the corpus', () => {
  it('is there', () => {
    expect(documents.length).toBeGreaterThan(40);
  });

  it.each(documents.map((entry) => [entry.file, entry] as const))(
    '%s imports with every operation accounted for',
    async (_file, entry) => {
      const { apis } = parseImport(inputOf(entry));
      const operations = apis.flatMap((api) => api.operations);
      expect(operations.length).toBe(entry.operations ?? operations.length);
      for (const api of apis) {
        const plan = await planImport(
          api,
          { api: null, tools: [], isSlugTaken: () => false, isNameHeld: () => false },
          { documentHash: '', nowMs: 0 },
        );
        expect(plan.report.length).toBe(api.operations.length);
        expect(plan.added.length).toBe(api.operations.filter(({ content }) => content !== null).length);
        const names = plan.added.map(({ name }) => name);
        expect(new Set(names).size).toBe(names.length);
        for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        expect(plan.report.filter((line) => line.fidelity === 'skipped' && line.notes.length === 0)).toEqual(
          [],
        );
      }
      for (const { content } of operations) {
        totals.operations++;
        if (!content) continue;
        totals.imported++;
        expect(faultsOf(inputSchemaOf(content.operation))).toEqual([]);
      }
    },
  );

  it('imports at least 99 % of all operations, exactly or with a note', () => {
    expect(totals.imported / totals.operations).toBeGreaterThanOrEqual(0.99);
  });
});

// Optimised code takes minutes for five thousand schemas; plain code tells as well whether a schema compiles.
const ajv = new Ajv2020({
  strict: false,
  validateFormats: false,
  logger: false,
  inlineRefs: false,
  code: { optimize: false },
});

function faultsOf(schema: JsonSchema): string[] {
  const faults: string[] = [];
  if (ajv.validateSchema(schema) !== true) faults.push(ajv.errorsText());
  const defs = (schema['$defs'] ?? {}) as Record<string, unknown>;
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(walk);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key === '$ref' && typeof inner === 'string') {
        if (!Object.hasOwn(defs, inner.slice('#/$defs/'.length))) faults.push(`no ${inner}`);
      } else if (key === 'pattern' && typeof inner === 'string') {
        if (!compiles(inner)) faults.push(`pattern ${inner}`);
      } else if (!['enum', 'const', 'default', 'examples'].includes(key)) walk(inner);
    }
  };
  walk(schema);
  try {
    ajv.compile(schema);
  } catch (error) {
    faults.push(String(error));
  }
  ajv.removeSchema(schema);
  return faults;
}

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

// Written down here once more, so that the rules are not measured with themselves.
const credentials =
  /^(?:authorization|cookie|x-amz-(?:signature|credential|security-token)|.*(?:api|app|secret|access|subscription)[-_]?key|.*(?:access|auth|oauth|api|session|app)[-_]?token|.*client[-_]?secret)$/i;

describe('what no model is asked for', () => {
  it.each(documents.map((entry) => [entry.file, entry] as const))(
    '%s asks for no credential',
    (_file, entry) => {
      const asked = parseImport(inputOf(entry))
        .apis.flatMap((api) => api.operations)
        .flatMap(({ content, key }) =>
          (content?.operation.parameters ?? [])
            .filter((parameter) => parameter.in !== 'path' && parameter.in !== 'body')
            .filter((parameter) => !parameter.hidden && parameter.fixed === undefined)
            .map((parameter) => `${key} ${parameter.in} ${parameter.key ?? parameter.name}`),
        )
        .filter((name) => credentials.test(name.split(' ').at(-1)!));
      expect(asked).toEqual([]);
    },
  );
});

describe('documents that are wrong on purpose', () => {
  const folder = join(corpusFolder(), 'broken');
  it.each(readdirSync(folder))(
    '%s ends in a message or in notes, never in an exception of another kind',
    (name) => {
      let thrown: unknown = new HandrailError('import_unreadable', 'imported with notes');
      try {
        parseImport({ files: [{ name, content: readFileSync(join(folder, name)) }] });
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toBeInstanceOf(HandrailError);
      expect((thrown as HandrailError).code).toBe('import_unreadable');
    },
  );
});
