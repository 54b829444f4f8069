import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../src/domain/json-schema.ts';
import { inputSchemaOf, type ToolContent } from '../../src/domain/tool.ts';
import { parseImport } from '../../src/import/reading/parse-import.ts';
import { compileSchema } from '../../src/lib/json/json-schema.ts';
import { leanSchema } from '../../src/listing/lean-schema.ts';
import { advertisedOutput } from '../../src/pipeline/reply/output-schema.ts';
import { leftOut, maxSignatureTokens, signatureOf } from '../../src/search/signature.ts';
import { countTokens } from '../../src/listing/tokens/count-tokens.ts';
import { corpusDocuments, inputOf } from './corpus.ts';
import { dice, instanceOf } from './instances.ts';

const instancesEach = 4;

interface Document {
  readonly file: string;
  readonly tools: readonly ToolContent[];
}

let documents: Document[];
let tools: ToolContent[];
beforeAll(() => {
  documents = corpusDocuments()
    .filter(({ file }) => file.startsWith('openapi/'))
    .map((entry) => ({
      file: entry.file,
      tools: parseImport(inputOf(entry)).apis.flatMap(({ operations }) =>
        operations.flatMap(({ content }) => content ?? []),
      ),
    }));
  tools = documents.flatMap((each) => each.tools);
  expect(tools.length).toBeGreaterThan(4_000);
});

const isRequired = ({ required, default: byDefault }: ToolContent['operation']['parameters'][number]) =>
  required && byDefault === undefined;

describe('lists of real APIs', () => {
  it('take at most 15 % of what they took with everything in them, and a quarter without the two largest', () => {
    const sizes = documents.map(({ tools: own }) => {
      const full = own.map((tool) => {
        const outputSchema = advertisedOutput(tool.operation.replySchema)?.schema ?? null;
        return {
          ...head(tool),
          inputSchema: inputSchemaOf(tool.operation),
          ...(outputSchema && { outputSchema }),
        };
      });
      const lean = own.map((tool) => ({
        ...head(tool),
        inputSchema: leanSchema(inputSchemaOf(tool.operation)).schema,
      }));
      return { full: JSON.stringify(full).length, lean: JSON.stringify(lean).length };
    });
    const shareOf = (some: typeof sizes) => sum(some, 'lean') / sum(some, 'full');
    const bySize = sizes.toSorted((one, other) => other.full - one.full);
    expect(shareOf(bySize)).toBeLessThan(0.15);
    expect(shareOf(bySize.slice(2))).toBeLessThan(0.25);
  });

  it('are marked in few places', () => {
    const folded = tools.filter((tool) => leanSchema(inputSchemaOf(tool.operation)).folded);
    expect(folded.length / tools.length).toBeLessThan(0.05);
  });

  /** Arguments that the true schema allows and a short form refuses. */
  function refusedBy(shorten: (schema: JsonSchema) => JsonSchema, some: readonly ToolContent[]) {
    const refused: { readonly name: string; readonly example: unknown }[] = [];
    let tried = 0;
    some.forEach((tool, n) => {
      const schema = inputSchemaOf(tool.operation);
      const roll = dice(n + 1);
      const defs = (schema['$defs'] ?? {}) as JsonSchema;
      const strict = compileSchema(schema);
      const valid = Array.from(
        { length: instancesEach },
        () => instanceOf(schema, defs, roll) as Record<string, unknown>,
      )
        .concat({})
        .filter((example) => strict(example).length === 0);
      if (valid.length === 0) return;
      tried += valid.length;
      const free = compileSchema(shorten(schema));
      for (const example of valid) if (free(example).length > 0) refused.push({ name: tool.name, example });
    });
    return { refused, tried };
  }

  it('refuse no argument that is accepted', () => {
    const { refused, tried } = refusedBy((schema) => leanSchema(schema).schema, tools);
    expect(refused).toEqual([]);
    expect(tried).toBeGreaterThan(9_000);
    // Made very short, everything is folded somewhere.
    expect(refusedBy((schema) => leanSchema(schema, 300).schema, tools).refused).toEqual([]);
  });

  const changed = (change: (node: Record<string, unknown>) => Record<string, unknown>) => {
    const visit = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(visit);
      if (typeof value !== 'object' || value === null) return value;
      return change(Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, visit(inner)])));
    };
    return (schema: JsonSchema) => visit(leanSchema(schema, 600).schema) as JsonSchema;
  };
  it.each([
    [
      'exactly one of a union',
      changed(({ anyOf, ...rest }) =>
        Array.isArray(anyOf) ? { ...rest, oneOf: anyOf.map(() => ({})) } : rest,
      ),
    ],
    [
      'only the first values',
      changed((node) => (Array.isArray(node['enum']) ? { ...node, enum: node['enum'].slice(0, 1) } : node)),
    ],
    [
      'no further fields',
      changed((node) => (node['properties'] === undefined ? node : { ...node, additionalProperties: false })),
    ],
    [
      'text for what was folded',
      changed((node) =>
        node['type'] === 'object' && node['properties'] === undefined && node['description'] !== undefined
          ? { type: 'string' }
          : node,
      ),
    ],
  ])('would be caught if they allowed %s', (_, careless) => {
    expect(
      refusedBy(
        careless,
        tools.filter((__, n) => n % 10 === 0),
      ).refused,
    ).not.toEqual([]);
  });
});

describe('signatures of real tools', () => {
  it('have every required argument', () => {
    const missing = tools.flatMap((tool) => {
      const { text } = signatureOf(tool, tool.name, tool.description);
      return tool.operation.parameters
        .filter((parameter) => isRequired(parameter) && !parameter.hidden && parameter.fixed === undefined)
        .filter(({ name }) => !text.includes(`${name}: `) && !text.includes(`${JSON.stringify(name)}: `))
        .map(({ name }) => `${tool.name}: ${name}`);
    });
    expect(missing).toEqual([]);
  });

  it('are seldom marked as partial, and say where', () => {
    const written = tools.map((tool) => signatureOf(tool, tool.name, tool.description));
    const partial = written.filter((one) => one.partial);
    expect(partial.length / written.length).toBeLessThan(0.15);
    expect(partial.filter(({ text }) => !text.includes(leftOut)).map(({ text }) => text)).toEqual([]);
  });

  it('are at most 150 tokens long besides their required arguments', () => {
    const long = tools
      .map((tool) => {
        const { text } = signatureOf(tool, tool.name, tool.description);
        // What stands for the required arguments alone.
        const parameters = tool.operation.parameters.filter(isRequired);
        const required = signatureOf({ ...tool, operation: { ...tool.operation, parameters } }, 'f', '').text;
        return {
          text,
          beside: countTokens(text) - countTokens(required.slice(0, required.lastIndexOf(')'))),
        };
      })
      .filter(({ beside }) => beside > maxSignatureTokens);
    expect(long).toEqual([]);
  });
});

function head({ name, title, description, annotations }: ToolContent) {
  return { name, ...(title !== undefined && title !== description && { title }), description, annotations };
}

function sum<Key extends string>(rows: readonly Readonly<Record<Key, number>>[], key: Key): number {
  return rows.reduce((all, row) => all + row[key], 0);
}
