import { readdirSync, readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseImport } from '../../dist/import/reading/parse-import.js';
import { documentOf } from '../../dist/search/tool-document.js';

/** Sets of queries with gold answers, from the folder in HANDRAIL_SEARCH_SETS; null if there is none. */
export function readSets() {
  const folder =
    process.env.HANDRAIL_SEARCH_SETS ?? new URL('../../../shared/search', import.meta.url).pathname;
  if (!existsSync(folder)) return null;
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
    .filter((set) => Array.isArray(set.queries))
    .map((set) => ({ name: set.name, queries: set.queries, documents: documentsOf(set, folder) }));
}

function documentsOf(set, folder) {
  if (set.tools)
    return set.tools.map((tool) => ({
      key: tool.id,
      group: tool.group,
      groupWords: [tool.group],
      name: tool.name,
      path: '',
      description: tool.description ?? '',
      parameters: (tool.parameters ?? []).map(({ name, description }) => ({
        name,
        description: description ?? '',
      })),
      replyFields: [],
    }));
  const files = [{ name: set.document, content: readFileSync(join(folder, set.document)) }];
  return parseImport({ files }).apis.flatMap(({ wantedSlug, name, operations }) =>
    operations
      .filter(({ content }) => content !== null)
      .map(({ key, content }) => documentOf(key, content, { slug: wantedSlug, name })),
  );
}
