import { readdirSync, readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Sets of queries with gold answers, from the folder that HANDRAIL_SEARCH_SETS names; null when there is none. Each has
 * an OpenAPI document to import, and for each of its operations (`METHOD /path`) the id that the gold answers use.
 */
export function readSets() {
  const folder =
    process.env.HANDRAIL_SEARCH_SETS ?? new URL('../../../shared/search', import.meta.url).pathname;
  if (!existsSync(folder)) return null;
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
    .filter((set) => Array.isArray(set.queries))
    .map((set) => ({ name: set.name, queries: set.queries, ...documentOf(set, folder) }));
}

function documentOf(set, folder) {
  if (set.document)
    return { text: readFileSync(join(folder, set.document), 'utf8'), idOf: (operation) => operation };
  const ids = new Map();
  const paths = {};
  set.tools.forEach((tool, n) => {
    ids.set(`POST /t/${n}`, tool.id);
    paths[`/t/${n}`] = { post: operationOf(tool) };
  });
  const document = {
    openapi: '3.1.0',
    info: { title: set.name, version: '1' },
    servers: [{ url: 'http://127.0.0.1:9' }],
    paths,
  };
  return { text: JSON.stringify(document), idOf: (operation) => ids.get(operation) };
}

function operationOf({ name, group, description, parameters = [] }) {
  return {
    operationId: name,
    tags: [group],
    ...(description && { summary: description }),
    parameters: parameters.map((parameter) => ({
      name: parameter.name,
      in: 'query',
      ...(parameter.description && { description: parameter.description }),
      schema: { type: 'string' },
    })),
    responses: { 200: { description: 'ok' } },
  };
}
