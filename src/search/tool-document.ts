import type { Api } from '../domain/api.ts';
import type { Operation, Parameter, ParameterPlace } from '../domain/operation.ts';
import { kindOf, type ToolContent, type ToolKind } from '../domain/tool.ts';
import { allowedTypes, namedValues } from '../lib/json/schema-branches.ts';
import { termsOf } from './words.ts';
import type { JsonSchema } from '../domain/json-schema.ts';
import { isObject, objectOr } from '../lib/json/plain-object.ts';

/** What search reads of a tool: what it is called, where it goes, what it takes and what it gives. */
export function documentOf(
  key: string,
  tool: Pick<
    ToolContent,
    'name' | 'title' | 'description' | 'tags' | 'annotations' | 'deprecated' | 'operation'
  >,
  api: Pick<Api, 'slug' | 'name'>,
): SearchDocument {
  const { operation } = tool;
  return {
    key,
    api: api.slug,
    group: `${api.slug} ${tool.tags[0] ?? ''}`,
    groupWords: [...new Set([api.slug, api.name, ...tool.tags])],
    name: tool.name,
    method: operation.method,
    path: operation.path,
    description: wordsOf(tool),
    kind: kindOf(tool),
    ...(tool.deprecated === true && { isDeprecated: true }),
    parameters: operation.parameters
      .filter((parameter) => !parameter.hidden && parameter.fixed === undefined)
      .map((parameter) => parameterOf(parameter, operation)),
    ...readReplyFields(operation.replySchema),
  };
}

// A title is often the beginning of the description, shortened; each text counts once.
function wordsOf({
  title = '',
  description,
  operation: { method, path },
}: Pick<ToolContent, 'title' | 'description' | 'operation'>): string {
  const said = description === `${method} ${path}` ? '' : description;
  const beginning = plain(title.replace(/…$/, ''));
  return plain(said).startsWith(beginning) ? said : `${title}. ${said}`;
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
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

/** What search knows of an operation's reply. */
interface ReplyFields {
  /** Names of fields, outermost first. */
  readonly replyFields: readonly string[];
  /** Whether the reply has a list in it; absent where nothing is known of the reply. */
  readonly repliesMany?: boolean;
}

const maxFields = 60;
const maxNodes = 400;
const maxDepth = 6;
const refPrefix = '#/$defs/';

/** Reads the names of a reply's fields from its schema, breadth first and up to a bound. */
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

/** One tool as search reads it. */
export interface SearchDocument {
  /** Names the document within the index. */
  readonly key: string;
  /** The API it belongs to: its tools yield each other's ids. */
  readonly api: string;
  /** Its API and first tag: what one tool of a group says counts for the others, too. */
  readonly group: string;
  /** What the API is called, and the tool's tags. */
  readonly groupWords: readonly string[];
  readonly name: string;
  readonly method?: string;
  readonly kind?: ToolKind;
  readonly isDeprecated?: boolean;
  /** Path template, such as `/users/{id}`; empty where there is none. */
  readonly path: string;
  readonly description: string;
  readonly parameters: readonly SearchParameter[];
  /** Names of the fields of a reply, outermost first. */
  readonly replyFields: readonly string[];
  /** Whether a reply has a list in it; absent where nothing is known of the reply. */
  readonly repliesMany?: boolean;
}

interface SearchParameter {
  readonly name: string;
  readonly description: string;
  /** Where it goes in the request; absent where there is no request. */
  readonly place?: ParameterPlace;
  readonly required?: boolean;
  /** Takes any words, such as a search box does. */
  readonly freeText?: boolean;
}

/** The fields of a document, each with what a word in it weighs. */
export const fieldWeights = {
  name: 3,
  group: 2,
  path: 2,
  description: 0.75,
  parameterNames: 0.5,
  parameterDescriptions: 1,
  replyFields: 0.3,
} as const;
