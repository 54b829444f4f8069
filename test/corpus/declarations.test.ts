import { beforeAll, describe, expect, it } from 'vitest';
import { declarationOf } from '../../src/code/declaration.ts';
import { inputSchemaOf } from '../../src/domain/tool.ts';
import { parseImport } from '../../src/import/reading/parse-import.ts';
import { countTokens } from '../../src/listing/tokens/count-tokens.ts';
import { corpusDocuments, inputOf } from './corpus.ts';

// Every document is counted, of each the same number of tools at most: the largest would be all there is otherwise.
const toolsEach = 40;

interface Size {
  readonly declared: number;
  readonly schemas: number;
}

let documents: { readonly file: string; readonly sizes: readonly Size[] }[];
beforeAll(() => {
  documents = corpusDocuments()
    .filter(({ file }) => file.startsWith('openapi/'))
    .map((entry) => {
      const tools = parseImport(inputOf(entry)).apis.flatMap(({ operations }) =>
        operations.flatMap(({ content }) => content ?? []),
      );
      const step = Math.max(1, Math.ceil(tools.length / toolsEach));
      const sizes = tools
        .filter((_, n) => n % step === 0)
        .map(({ name, description, operation }) => {
          const inputSchema = inputSchemaOf(operation);
          const { replySchema } = operation;
          const path = `tools.api.${name}`;
          const schemas = { inputSchema, outputSchema: replySchema };
          return {
            declared: countTokens(declarationOf({ path, description, inputSchema, replySchema })),
            schemas: countTokens(JSON.stringify(schemas)),
          };
        });
      return { file: entry.file, sizes };
    })
    .filter(({ sizes }) => sizes.length > 0);
});

const shareOf = (sizes: readonly Size[]) =>
  sizes.reduce((sum, { declared }) => sum + declared, 0) /
  sizes.reduce((sum, { schemas }) => sum + schemas, 0);
const medianOf = (values: readonly number[]) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!;

describe('declarations of real tools', () => {
  it('take at most 55 % of the tokens of the schemas', () => {
    const all = documents.flatMap(({ sizes }) => sizes);
    const share = shareOf(all);
    const median = medianOf(all.map((size) => shareOf([size])));
    const ofDocuments = medianOf(documents.map(({ sizes }) => shareOf(sizes)));
    const percent = (part: number) => `${(100 * part).toFixed(1)} %`;
    console.log(
      `${all.length} tools of ${documents.length} documents: ${percent(share)} in all, ${percent(median)} of the median tool, ${percent(ofDocuments)} of the median document`,
    );
    expect(all.length).toBeGreaterThan(1_000);
    expect(share).toBeLessThanOrEqual(0.55);
    expect(median).toBeLessThanOrEqual(0.55);
    expect(ofDocuments).toBeLessThanOrEqual(0.55);
  });
});
