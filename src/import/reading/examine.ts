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

/** Checks the description from any format: what cannot be stored or called is left out, and a note says why. */
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
      `The document’s authentication cannot be used (${sentenceOf(faults)}): set it on the API.`,
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
  // Its name is chosen when the import is planned.
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

/** Notes parameters whose patterns are too large to be checked; null if there are none. */
function uncheckedPatternsNote({ operation }: ToolContent, at: string): ImportNote | null {
  // The note is a courtesy, and too slow for documents with thousands of parameters per operation.
  if (operation.parameters.length > maxParameters) return null;
  // This decides for nearly every operation, and shared schemas are only checked once.
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
    message: `Patterns of ${places.slice(0, 5).join(', ')}${more} are too large to be checked here: models see them, and the API enforces them. Shorter patterns, or "enum" instead of many alternatives, are checked.`,
    at,
  };
}

const maxParameters = 500;

const patternWorks = new WeakCache<object, number>();

/** The compilation steps of all patterns in a value, counted at each use. */
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

// What the MCP Inspector calls unportable: legal JSON Schema that clients with partial support drop or reject.
const words: Readonly<Record<Fault, string>> = {
  typeList: '"type" is a list',
  anyValue: 'any value is allowed',
  trueOrFalse: 'a schema is true or false',
  elsewhere: 'a reference points outside the schema',
};

/** Notes where a tool's schemas use features that some clients don't support; null if nowhere. */
function portabilityNote(content: ToolContent, at: string): ImportNote | null {
  const found = new Map<Fault, string[]>();
  const report = (fault: Fault, path: string): void => {
    const places = found.get(fault);
    if (places === undefined) found.set(fault, [path]);
    else places.push(path);
  };
  walk(inputSchemaOf(content.operation), 'inputSchema', '', report);
  const output = advertisedOutput(content.operation.replySchema)?.schema ?? null;
  if (output !== null) walk(output, 'outputSchema', '', report);
  if (found.size === 0) return null;
  const faults = [...found].map(([fault, places]) => {
    const more = places.length > 1 ? ` and ${places.length - 1} more` : '';
    return `${words[fault]} (${places[0]!}${more})`;
  });
  return {
    code: portabilityCode,
    message: `Clients with partial JSON Schema support need a dialect here: ${faults.join('; ')}.`,
    at,
  };
}

const inLists = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const inMaps = ['properties', 'patternProperties', 'dependentSchemas', '$defs'];
const alone = ['items', 'contains', 'not', 'propertyNames', 'if', 'then', 'else', 'contentSchema'];
const mayBeBoolean = ['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems'];

// A schema with only these keywords does not constrain a value.
const annotations = new Set([
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
  report: (fault: Fault, path: string) => void,
): void {
  if (typeof schema === 'boolean') {
    if (!mayBeBoolean.includes(keyword)) report('trueOrFalse', path);
    return;
  }
  if (!isObject(schema)) return;
  if (Array.isArray(schema['type'])) report('typeList', path);
  const { $ref } = schema as JsonSchema;
  if (typeof $ref === 'string' && !$ref.startsWith('#')) report('elsewhere', path);
  const constrains = Object.keys(schema).some((key) => !annotations.has(key) && !key.startsWith('x-'));
  if (!constrains && keyword !== 'not') report('anyValue', path);
  for (const key of inMaps) {
    const map = schema[key];
    if (isObject(map)) for (const name of Object.keys(map)) walk(map[name], `${path}.${name}`, key, report);
  }
  for (const key of inLists) {
    const list = schema[key];
    if (Array.isArray(list)) list.forEach((inner, i) => walk(inner, `${path}.${key}[${i}]`, key, report));
  }
  for (const key of [...alone, ...mayBeBoolean])
    if (key in schema) walk(schema[key], `${path}.${key}`, key, report);
}
