import { asParsed, baseUrlFault } from '../../domain/fields/addresses.ts';
import { authScheme } from '../../domain/auth-scheme.ts';
import {
  type ApiDescription,
  type DescribedOperation,
  type ImportNote,
  portabilityCode,
} from '../../domain/description.ts';
import { headerValue, settableHeaderName } from '../../domain/fields/header-names.ts';
import { sentenceOf } from '../../domain/stored/read-stored.ts';
import { toolContent, inputSchemaOf, type ToolContent } from '../../domain/tool.ts';
import { fits, problemsIn } from '../../lib/schema/problems.ts';
import { uncheckedPatterns } from '../../lib/json/json-schema.ts';
import { maxPatternSteps, patternSteps } from '../../lib/json/patterns.ts';
import { isObject } from '../../lib/json/plain-object.ts';
import { WeakCache } from '../../lib/weak-cache.ts';
import { advertisedOutput } from '../../pipeline/reply/output-schema.ts';
import type { JsonSchema } from '../../domain/json-schema.ts';

/** Looks at what every kind of document came to: what cannot be stored or called is left out, and a note says why. */
export function examine(api: ApiDescription): ApiDescription {
  const notes: ImportNote[] = [];
  const leaveOut = (code: string, message: string): void => void notes.push({ code, message });
  const baseUrls = api.baseUrls.filter((address) => {
    const fault = baseUrlFault(address);
    if (fault !== null)
      leaveOut('server_unusable', `The address ${shown(address)} ${fault}: it was left out.`);
    return fault === null;
  });
  const headers = Object.fromEntries(
    Object.entries(api.headers).filter(([name, value]) => {
      const usable = fits(settableHeaderName, name) && fits(headerValue, value);
      if (!usable) leaveOut('header_unusable', `The header ${shown(name)} cannot be set: it was left out.`);
      return usable;
    }),
  );
  const faults = problemsIn(authScheme, api.auth);
  if (faults.length > 0)
    leaveOut(
      'authentication_unusable',
      `The document’s way of signing in cannot be used (${sentenceOf(faults)}): set it on the API.`,
    );
  return {
    ...api,
    name: api.name.trim().slice(0, 500) || api.wantedSlug || 'Imported API',
    ...(api.description !== undefined && { description: api.description.slice(0, 100_000) }),
    baseUrls: baseUrls.slice(0, 1_000).map(asParsed),
    headers,
    auth: faults.length > 0 ? { kind: 'none' } : api.auth,
    authChoices: api.authChoices.filter(({ auth }) => fits(authScheme, auth)),
    operations: api.operations.map((operation) => examineOperation(withParsedAddress(operation))),
    notes: [...api.notes, ...notes],
  };
}

function withParsedAddress(described: DescribedOperation): DescribedOperation {
  const { content } = described;
  const baseUrl = content?.operation.baseUrl;
  if (!content || baseUrl === undefined || asParsed(baseUrl) === baseUrl) return described;
  return {
    ...described,
    content: { ...content, operation: { ...content.operation, baseUrl: asParsed(baseUrl) } },
  };
}

function examineOperation(operation: DescribedOperation): DescribedOperation {
  if (!operation.content) return operation;
  // Its name is fitted when the import is planned.
  const problems = problemsIn(toolContent, { ...operation.content, name: 'tool' });
  if (problems.length > 0) {
    const message = `No request can be built: ${sentenceOf(problems)}.`;
    const note = { code: 'not_callable', message, at: operation.at };
    return { ...operation, content: null, notes: [...operation.notes, note] };
  }
  const { content, at } = operation;
  const notes = [portabilityNote(content, at), uncheckedPatternsNote(content, at)].filter(
    (note) => note !== null,
  );
  return notes.length > 0 ? { ...operation, notes: [...operation.notes, ...notes] } : operation;
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}

/** Says which parameters have patterns that are too large to be checked; null when none has. */
function uncheckedPatternsNote({ operation }: ToolContent, at: string): ImportNote | null {
  // The note is a courtesy, which a thousand operations of ten thousand parameters each would make slow.
  if (operation.parameters.length > maxParameters) return null;
  // Nearly every operation is told by this alone, and what operations share is looked at once.
  if (patternWork(operation) <= maxPatternSteps) return null;
  const unchecked = uncheckedPatterns(inputSchemaOf(operation));
  const places = operation.parameters
    .filter(({ schema }) => mentions(schema, unchecked))
    .map(({ name }) => `"${name}"`);
  if (unchecked.size > 0 && places.length === 0) places.push('its parameters');
  const output = advertisedOutput(operation.replySchema)?.schema ?? null;
  if (output !== null && uncheckedPatterns(output).size > 0) places.push('its reply');
  if (places.length === 0) return null;
  const more = places.length > 5 ? ` and ${places.length - 5} more` : '';
  return {
    code: 'pattern_unchecked',
    message: `Patterns of ${places.slice(0, 5).join(', ')}${more} are too large to be checked here: models read them, and the API has the last word. Shorter patterns, or "enum" instead of many alternatives, are checked.`,
    at,
  };
}

const maxParameters = 500;

const patternWorks = new WeakCache<object, number>();

/** The steps that the patterns in a value take to compile, each counted wherever it is used. */
function patternWork(value: object): number {
  const known = patternWorks.get(value);
  if (known !== undefined) return known;
  let work = 0;
  for (const [key, inner] of Object.entries<unknown>({ ...value })) {
    if (key === 'pattern' && typeof inner === 'string') work += patternSteps(inner);
    if (key === 'patternProperties' && isObject(inner))
      for (const pattern of Object.keys(inner)) work += patternSteps(pattern);
    if (typeof inner === 'object' && inner !== null) work += patternWork(inner);
  }
  patternWorks.set(value, work);
  return work;
}

function mentions(schema: unknown, patterns: ReadonlySet<string>): boolean {
  if (patterns.size === 0) return false;
  const open: unknown[] = [schema];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) open.push(...(next as unknown[]));
    if (!isObject(next)) continue;
    const { pattern, patternProperties } = next;
    if (typeof pattern === 'string' && patterns.has(pattern)) return true;
    if (isObject(patternProperties) && Object.keys(patternProperties).some((each) => patterns.has(each)))
      return true;
    for (const inner of Object.values(next))
      if (typeof inner === 'object' && inner !== null) open.push(inner);
  }
  return false;
}

type Fault = 'typeList' | 'anyValue' | 'trueOrFalse' | 'elsewhere';

// What MCP's own inspector calls unportable: legal JSON Schema that clients which read only a part of it drop or refuse.
const words: Readonly<Record<Fault, string>> = {
  typeList: '"type" is a list',
  anyValue: 'any value is allowed',
  trueOrFalse: 'true or false stands for a schema',
  elsewhere: 'a reference leads out of the schema',
};

/** Says where a tool's schemas use what some clients cannot read; null when they are plain. */
function portabilityNote(content: ToolContent, at: string): ImportNote | null {
  const found = new Map<Fault, string[]>();
  const tell = (fault: Fault, path: string): void => {
    const places = found.get(fault);
    if (places === undefined) found.set(fault, [path]);
    else places.push(path);
  };
  walk(inputSchemaOf(content.operation), 'inputSchema', '', tell);
  const output = advertisedOutput(content.operation.replySchema)?.schema ?? null;
  if (output !== null) walk(output, 'outputSchema', '', tell);
  if (found.size === 0) return null;
  const faults = [...found].map(([fault, places]) => {
    const more = places.length > 1 ? ` and ${places.length - 1} more` : '';
    return `${words[fault]} (${places[0]!}${more})`;
  });
  return {
    code: portabilityCode,
    message: `Clients that know only a part of JSON Schema need a dialect here: ${faults.join('; ')}.`,
    at,
  };
}

const inLists = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const inMaps = ['properties', 'patternProperties', 'dependentSchemas', '$defs'];
const alone = ['items', 'contains', 'not', 'propertyNames', 'if', 'then', 'else', 'contentSchema'];
const mayBeBoolean = ['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems'];

// A schema with nothing but these says nothing about a value.
const sayNothing = new Set([
  '$comment',
  '$schema',
  '$id',
  '$anchor',
  '$defs',
  'title',
  'description',
  'default',
  'deprecated',
  'readOnly',
  'writeOnly',
  'examples',
  'example',
  'externalDocs',
  'xml',
  'discriminator',
  'nullable',
]);

function walk(
  schema: unknown,
  path: string,
  keyword: string,
  tell: (fault: Fault, path: string) => void,
): void {
  if (typeof schema === 'boolean') {
    if (!mayBeBoolean.includes(keyword)) tell('trueOrFalse', path);
    return;
  }
  if (!isObject(schema)) return;
  if (Array.isArray(schema['type'])) tell('typeList', path);
  const { $ref } = schema as JsonSchema;
  if (typeof $ref === 'string' && !$ref.startsWith('#')) tell('elsewhere', path);
  const constrains = Object.keys(schema).some((key) => !sayNothing.has(key) && !key.startsWith('x-'));
  if (!constrains && keyword !== 'not') tell('anyValue', path);
  for (const key of inMaps) {
    const map = schema[key];
    if (isObject(map)) for (const name of Object.keys(map)) walk(map[name], `${path}.${name}`, key, tell);
  }
  for (const key of inLists) {
    const list = schema[key];
    if (Array.isArray(list)) list.forEach((inner, i) => walk(inner, `${path}.${key}[${i}]`, key, tell));
  }
  for (const key of [...alone, ...mayBeBoolean])
    if (key in schema) walk(schema[key], `${path}.${key}`, key, tell);
}
