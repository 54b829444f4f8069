import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DescribedOperation } from '../../src/domain/description.ts';
import { parseImport } from '../../src/import/reading/parse-import.ts';
import { corpusFolder } from './corpus.ts';

function read(file: string, actions: readonly Record<string, unknown>[] = []): readonly DescribedOperation[] {
  const overlay = { overlay: '1.1.0', info: { title: 'For agents', version: '1' }, actions };
  return parseImport({
    files: [{ name: file, content: readFileSync(join(corpusFolder(), 'openapi', file)) }],
    ...(actions.length > 0 && { overlays: [{ name: 'o.json', text: JSON.stringify(overlay) }] }),
  }).apis[0]!.operations;
}

const keys = (operations: readonly DescribedOperation[]) => operations.map(({ key }) => key);
const named = (operations: readonly DescribedOperation[], key: string) =>
  operations.find((operation) => operation.key === key)!;

describe('overlays over real documents', () => {
  it('take the deprecated operations of one away', () => {
    const before = read('gitea-swagger2.json');
    const after = read('gitea-swagger2.json', [{ target: '$.paths[*][?@.deprecated==true]', remove: true }]);
    const gone = before.filter(({ content }) => content?.deprecated).map(({ key }) => key);
    expect(gone.length).toBeGreaterThan(0);
    expect(keys(after)).toEqual(keys(before).filter((key) => !gone.includes(key)));
  });

  it('leave only what is read', () => {
    const after = read('qdrant.json', [{ target: "$.paths.*['post','put','patch','delete']", remove: true }]);
    expect(after.length).toBeGreaterThan(10);
    expect(after.every(({ key }) => key.startsWith('GET '))).toBe(true);
  });

  it('describe a parameter wherever it stands, in YAML', () => {
    const after = read('spotify-official.yml', [
      { target: "$.components.parameters[?@.name=='market']", update: { description: 'Two letters.' } },
    ]);
    const markets = after.flatMap(({ content }) =>
      (content?.operation.parameters ?? []).filter(({ name }) => name === 'market'),
    );
    expect(markets.length).toBeGreaterThan(5);
    expect(new Set(markets.map(({ description }) => description))).toEqual(new Set(['Two letters.']));
  });

  it('hide operations by their tag, with an extension that importing knows', () => {
    const after = read('swagger-petstore.yaml', [
      { target: "$.paths.*[?@.tags[?@=='store']]", update: { 'x-mcp': false } },
    ]);
    const store = after.filter(({ key }) => key.includes('/store/'));
    expect(store.length).toBeGreaterThan(0);
    expect(store.every(({ content }) => content === null)).toBe(true);
    expect(after.filter(({ key }) => key.includes('/pet')).every(({ content }) => content !== null)).toBe(
      true,
    );
  });

  it('copy and add, in a document of 3.1', () => {
    const [museum] = keys(read('redocly-museum-3.1.yaml'));
    const after = read('redocly-museum-3.1.yaml', [
      { target: '$.paths', update: { '/copied': {} } },
      { target: "$.paths['/copied']", copy: `$.paths['${museum!.split(' ')[1]}']` },
      {
        target: '$.paths.*.get',
        update: { parameters: [{ name: 'lang', in: 'query', schema: { type: 'string' } }] },
      },
    ]);
    expect(keys(after)).toContain(`${museum!.split(' ')[0]} /copied`);
    const gets = after.filter(({ key }) => key.startsWith('GET '));
    expect(
      gets.every(({ content }) => content!.operation.parameters.some(({ name }) => name === 'lang')),
    ).toBe(true);
    expect(named(after, `${museum!.split(' ')[0]} /copied`).content).not.toBeNull();
  });
});
