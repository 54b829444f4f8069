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

// What names these words without being a secret of the caller's, each looked at: where a list goes on, what is filtered or
// set about tokens, sessions and passwords, and the two operations whose subject is a password or a token of a user.
const subjects =
  /^(?:page_?token|.*(?:_flow|_url|_validity|_field|_stage|_attribute|_algorithm|_app|_domain|_expiry|_length|_count|_uuid|_duration|_user|_identifier|_ip|_agent)(?:__.*|_similar)?|(?:min|max|target)_time_signature|(?:with|close_existing)_signature|(?:include|delete|revoke|rotate|allow|return|set|sync|terminate|num|verification)_?.*|plugin_payment_token|session_valid_not_on_or_after|tokenize_as|.*_update_internal_password|passwordless.*|session|token|password)$/i;
const words =
  /token|secret|passw|credential|api.?key|signature|authoriz|bearer|session|csrf|jwt|hmac|cookie/i;

describe('what resembles a credential', () => {
  const rows = documents.flatMap((entry) =>
    parseImport(inputOf(entry)).apis.map((api) => {
      const tools = api.operations.flatMap(({ content }) => (content ? [content.operation] : []));
      const asked = tools.map((operation) =>
        operation.parameters.filter((parameter) => !parameter.hidden && parameter.fixed === undefined),
      );
      return { file: entry.file, tools: tools.length, asked };
    }),
  );

  it('is, outside of paths and bodies, something that a call is about', () => {
    const names = rows.flatMap(({ asked }) =>
      asked.flat().filter((parameter) => parameter.in !== 'path' && parameter.in !== 'body'),
    );
    const unread = names
      .map((parameter) => parameter.key ?? parameter.name)
      .filter((name) => words.test(name) && !subjects.test(name));
    expect([...new Set(unread)]).toEqual([]);
  });

  it('is asked for in the bodies of few operations, and never by most of an API', () => {
    const often = rows.flatMap(({ file, tools, asked }) => {
      const counts = new Map<string, number>();
      for (const parameters of asked)
        for (const { in: place, key, name } of parameters)
          if (place === 'body' && credentials.test(key ?? name))
            counts.set(key ?? name, (counts.get(key ?? name) ?? 0) + 1);
      return [...counts]
        .filter(([, count]) => count > Math.max(2, tools / 2))
        .map(([name, count]) => `${file} ${name}: ${count} of ${tools}`);
    });
    expect(often).toEqual([]);
  });
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
