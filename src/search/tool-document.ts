import type { Api } from '../domain/api.ts';
import type { Operation, Parameter } from '../domain/operation.ts';
import type { ToolContent } from '../domain/tool.ts';
import { allowedTypes, namedValues } from '../lib/json/schema-branches.ts';
import { readReplyFields } from './reply-fields.ts';
import type { SearchDocument, SearchParameter } from './search-document.ts';
import { termsOf } from './words.ts';

/** What search reads of a tool: what it is called, where it goes, what it takes and what it gives. */
export function documentOf(
  key: string,
  tool: Pick<ToolContent, 'name' | 'title' | 'description' | 'tags' | 'operation'>,
  api: Pick<Api, 'slug' | 'name'>,
): SearchDocument {
  const { operation } = tool;
  const title = tool.title === undefined || tool.description.startsWith(tool.title) ? '' : `${tool.title}. `;
  return {
    key,
    group: api.slug,
    groupWords: [...new Set([api.slug, api.name, ...tool.tags])],
    name: tool.name,
    method: operation.method,
    path: operation.path,
    description: title + tool.description,
    parameters: operation.parameters
      .filter((parameter) => !parameter.hidden && parameter.fixed === undefined)
      .map((parameter) => parameterOf(parameter, operation)),
    ...readReplyFields(operation.replySchema),
  };
}

function parameterOf(parameter: Parameter, operation: Operation): SearchParameter {
  const own = parameter.schema['description'];
  return {
    name: parameter.name,
    description: parameter.description ?? (typeof own === 'string' ? own : ''),
    place: parameter.in,
    required: parameter.required && parameter.default === undefined,
    freeText: parameter.in !== 'path' && isFreeText(parameter, operation),
  };
}

// What a search box is called.
const searchBoxes = new Set(
  ['query', 'q', 'search', 'keyword', 'text', 'term', 'name', 'filter', 'title', 'phrase', 'find'].flatMap(
    (word) => termsOf(word, true),
  ),
);

function isFreeText({ name, schema }: Parameter, { defs }: Operation): boolean {
  const last = termsOf(name, true).at(-1);
  if (last === undefined || !searchBoxes.has(last)) return false;
  const types = allowedTypes(schema, defs);
  return (types === null || types.has('string')) && namedValues(schema, defs).length === 0;
}
