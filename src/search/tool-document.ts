import type { Api } from '../domain/api.ts';
import type { Operation, Parameter, ParameterPlace } from '../domain/operation.ts';
import type { ToolContent } from '../domain/tool.ts';
import { allowedTypes, namedValues } from '../lib/json/schema-branches.ts';
import { termsOf } from './words.ts';
import type { JsonSchema } from '../domain/json-schema.ts';
import { isObject, objectOr } from '../lib/json/plain-object.ts';

/** What search indexes of a tool: its name, path, parameters and reply. */
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

// Common names of search parameters.
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

/** What search knows about an operation's reply. */
interface ReplyFields {
  /** Field names, outermost first. */
  readonly replyFields: readonly string[];
  /** Whether the reply contains a list; absent if nothing is known about the reply. */
  readonly repliesMany?: boolean;
}

const maxFields = 60;
const maxNodes = 400;
const maxDepth = 6;
const refPrefix = '#/$defs/';

/** Reads the field names of a reply from its schema, breadth first and up to a limit. */
function readReplyFields(schema: JsonSchema | undefined): ReplyFields {
  if (schema === undefined) return { replyFields: [] };
  const names = new Set<string>();
  const defs = objectOr(schema['$defs']);
  const followed = new Set<string>();
  let repliesMany = false;
  let level: unknown[] = [schema];
  let nodes = 0;
  for (let depth = 0; depth < maxDepth && level.length > 0; depth++) {
    const next: unknown[] = [];
    for (const node of level) {
      if (!isObject(node) || ++nodes > maxNodes) continue;
      const { $ref, properties, items, prefixItems, anyOf, oneOf, allOf } = node;
      if (typeof $ref === 'string' && $ref.startsWith(refPrefix) && !followed.has($ref)) {
        followed.add($ref);
        next.push(defs[$ref.slice(refPrefix.length)]);
      }
      if (isObject(properties)) {
        for (const [name, inner] of Object.entries(properties)) {
          if (names.size < maxFields) names.add(name);
          next.push(inner);
        }
      }
      if (items !== undefined || prefixItems !== undefined) repliesMany = true;
      next.push(items);
      for (const list of [anyOf, oneOf, allOf, prefixItems]) if (Array.isArray(list)) next.push(...list);
    }
    level = next;
  }
  return { replyFields: [...names], repliesMany };
}

/** One tool as search indexes it. */
export interface SearchDocument {
  /** Identifies the document within the index. */
  readonly key: string;
  /** The API it belongs to: tools of one group support each other's scores and return each other's IDs. */
  readonly group: string;
  /** The API's name, and the tool's tags. */
  readonly groupWords: readonly string[];
  readonly name: string;
  readonly method?: string;
  /** The path template, such as `/users/{id}`; empty if there is none. */
  readonly path: string;
  readonly description: string;
  readonly parameters: readonly SearchParameter[];
  /** Field names of the reply, outermost first. */
  readonly replyFields: readonly string[];
  /** Whether the reply contains a list; absent if nothing is known about the reply. */
  readonly repliesMany?: boolean;
}

interface SearchParameter {
  readonly name: string;
  readonly description: string;
  /** Where it goes in the request; absent if there is no request. */
  readonly place?: ParameterPlace;
  readonly required?: boolean;
  /** Accepts free text, like a search box. */
  readonly freeText?: boolean;
}

/** The fields of a document, each with the weight of a word in it. */
export const fieldWeights = {
  name: 3,
  group: 2,
  path: 2,
  description: 0.75,
  parameterNames: 0.5,
  parameterDescriptions: 1,
  replyFields: 0.3,
} as const;
