import type { DescribedOperation } from '../domain/description.ts';
import {
  httpMethods,
  type Operation,
  type Parameter,
  type SecurityAlternative,
} from '../domain/operation.ts';
import { annotationsByMeaning } from '../domain/tool-meaning.ts';
import { kindOf, type ToolAnnotations, type ToolContent } from '../domain/tool.ts';
import { arrayOr, isObject, objectOr, textOr, type PlainObject } from '../lib/json/plain-object.ts';
import { cutText, saysTheSame, tidyText } from '../lib/text/tidy-text.ts';
import { below, type Located } from './bundle.ts';
import type { Notes } from './notes.ts';
import type { OperationEntry, Reading } from './reading.ts';
import { nameFromPath, ParameterNames, repeatsName, withoutPath } from './names.ts';
import { readBody } from './read-body.ts';
import { readLinks, readLongRunning, readPagination, replyHeaderNames } from './read-pagination.ts';
import { gatherParameters, readParameters } from './read-parameters.ts';
import { readReply } from './read-reply.ts';
import { readServers } from './read-servers.ts';
import type { Scope } from './schemas/schema-scope.ts';
import { closureOf, cutRefs, defsObject } from './schemas/schema-set.ts';
import { upgradeSwagger } from './upgrade-swagger.ts';
import { asJson, type JsonSchema } from '../domain/json-schema.ts';

const maxDescription = 2_000;
const maxInputSchemaBytes = 400_000;

/** Converts one operation of a document into a tool. `giveName` makes a name unique within the document. */
export function readOperation(
  reading: Reading,
  entry: OperationEntry,
  security: readonly SecurityAlternative[],
  giveName: (wanted: string) => string,
): DescribedOperation {
  const key = `${entry.method} ${entry.path}`;
  const at = reading.resolver.show(entry.operation.at);
  const scope = reading.inputs.newScope();
  const { notes } = scope;
  const fallbackName = nameFromPath(entry.method, entry.path);
  const skip = (code: string, message: string): DescribedOperation => {
    notes.add(code, message, entry.operation.at);
    return { key, wantedName: fallbackName, at, notes: notes.list(), content: null };
  };
  const target = reading.resolver.follow(entry.operation);
  if ('unresolved' in target)
    return skip('operation_unresolved', `Not imported: its reference ${target.unresolved}.`);
  if (!isObject(target.value))
    return skip(
      'operation_invalid',
      'Not imported: the operation is not an object. Correct the document and import it again.',
    );
  if (!httpMethods.some((method) => method === entry.method))
    return skip('method_unsupported', `Not imported: the method ${entry.method} cannot be sent.`);
  const operation: Located<PlainObject> = { value: target.value, at: target.at };
  const extension = readExtension(operation.value, entry.pathItem.value, reading.root.value);
  if (extension.hidden)
    return skip(
      'hidden_by_document',
      `Not imported: the document hides it from agents (${extension.hidden}).`,
    );

  const ownId = operationId(operation.value);
  const wantedName =
    extension.name ?? (ownId === undefined ? fallbackName : withoutPath(ownId, entry.method, entry.path));
  const built = readHttp(reading, entry, operation, scope, security);
  const description = describe(operation.value, extension, entry, wantedName);
  const meaning = annotationsByMeaning({
    method: entry.method,
    path: entry.path,
    name: extension.name ?? (ownId && wantedName),
    summary: textOr(operation.value['summary']) ?? description,
  });
  const content: ToolContent = {
    name: giveName(wantedName),
    ...titleOf(operation.value, extension, description),
    description,
    tags: [
      ...new Set(
        arrayOr(operation.value['tags'])
          .filter((tag): tag is string => typeof tag === 'string' && tag.trim() !== '')
          .map((tag) => tag.trim().slice(0, 100)),
      ),
    ],
    annotations: { ...meaning.annotations, ...extension.annotations },
    ...(operation.value['deprecated'] === true && { deprecated: true }),
    operation: built,
  };
  if (meaning.because !== undefined)
    notes.add(
      'kind_by_meaning',
      `Marked ${kindOf(content)}, which its method ${entry.method} doesn't imply: ${meaning.because}.`,
      operation.at,
    );
  const callbacks = Object.keys(objectOr(operation.value['callbacks']));
  if (callbacks.length > 0)
    notes.add(
      'callbacks_ignored',
      `Callbacks are calls that the API makes, not calls to it: ${callbacks.slice(0, 10).join(', ')}.`,
      below(operation.at, 'callbacks'),
    );
  return { key, wantedName, at, notes: notes.list(), content };
}

function readHttp(
  reading: Reading,
  entry: OperationEntry,
  operation: Located<PlainObject>,
  scope: Scope,
  security: readonly SecurityAlternative[],
): Operation {
  const { notes } = scope;
  const names = new ParameterNames();
  const { path, queryNames } = splitQueryVariables(readPath(entry, notes));
  const pathParameters: Located = {
    value: entry.pathItem.value['parameters'],
    at: below(entry.pathItem.at, 'parameters'),
  };
  const gathered = gatherParameters(
    reading,
    [pathParameters, { value: operation.value['parameters'], at: below(operation.at, 'parameters') }],
    notes,
  );
  const declared = gathered.map((parameter): Located<PlainObject> => {
    const key =
      parameter.value['in'] === 'path' ? queryNames.get(String(parameter.value['name'])) : undefined;
    return key === undefined
      ? parameter
      : { ...parameter, value: { ...parameter.value, in: 'query', name: key } };
  });
  for (const [slot, key] of queryNames) {
    if (gathered.some(({ value }) => value['in'] === 'path' && value['name'] === slot)) continue;
    if (gathered.some(({ value }) => value['in'] === 'query' && value['name'] === key)) continue;
    notes.add(
      'path_parameter_undeclared',
      `{${slot}} is in the path's query but not declared; it is treated as a required string.`,
      operation.at,
    );
    const value = { name: key, in: 'query', required: true, type: 'string', schema: { type: 'string' } };
    declared.push({ value, at: operation.at });
  }
  const shape =
    reading.version === '2.0'
      ? upgradeSwagger(reading, operation, declared, notes)
      : {
          parameters: declared,
          requestBody: { value: operation.value['requestBody'], at: below(operation.at, 'requestBody') },
          responses: { value: operation.value['responses'], at: below(operation.at, 'responses') },
        };
  const parameters: Parameter[] = readParameters(reading, shape.parameters, path, names, scope, operation.at);
  const body = readBody(reading, shape.requestBody, entry.method, names, scope);
  if (body) parameters.push(...body.parameters);
  const reply = readReply(reading, shape.responses, notes);
  const baseUrl = ownServer(reading, entry, operation, notes);

  const {
    taken,
    left,
    notes: sharedNotes,
  } = closureOf(scope.refs, maxInputSchemaBytes, {
    shortensRoots: false,
  });
  notes.addAll(sharedNotes);
  if (left.size > 0)
    notes.add(
      'input_schema_shortened',
      `The input's schema is larger than ${maxInputSchemaBytes} bytes; its deeper parts accept anything (${left.size} definitions left out).`,
      operation.at,
    );
  const whole =
    left.size > 0
      ? parameters.map((parameter) => ({ ...parameter, schema: cutRefs(parameter.schema, left) }))
      : parameters;
  const paged = readPagination(
    operation.value,
    { method: entry.method, parameters: whole, ...reply },
    replyHeaderNames(reading, { value: operation.value['responses'], at: below(operation.at, 'responses') }),
  );
  const links = readLinks(reading, shape.responses);
  return {
    method: entry.method,
    path,
    ...(baseUrl !== undefined && { baseUrl }),
    parameters: whole.map((parameter) => withOwnDefault(withOnlyValue(parameter))),
    ...(body && { body: body.body }),
    ...reply,
    ...(taken.length > 0 && { defs: defsObject(taken, left) }),
    ...(security.length > 0 && { security }),
    ...(paged && { pagination: paged }),
    ...(links.length > 0 && { links }),
    ...(readLongRunning(operation.value, shape.responses) && { longRunning: true }),
  };
}

// `/search?query={query}`: a variable in the query is a query parameter, no matter how the document declares it.
function splitQueryVariables(path: string): { path: string; queryNames: Map<string, string> } {
  const queryNames = new Map<string, string>();
  const at = path.indexOf('?');
  if (at < 0 || !path.includes('{', at)) return { path, queryNames };
  const fixed = path
    .slice(at + 1)
    .split('&')
    .filter((pair) => {
      const [, key, slot] = /^([^=]+)=\{([^{}]+)\}$/.exec(pair) ?? [];
      if (key === undefined || slot === undefined) return true;
      queryNames.set(slot, key);
      return false;
    });
  return { path: path.slice(0, at) + (fixed.length > 0 ? `?${fixed.join('&')}` : ''), queryNames };
}

// A fragment only distinguishes operations that share a path; it is never sent (RFC 9110 section 7.1).
function readPath(entry: OperationEntry, notes: Notes): string {
  let path = entry.path;
  const hash = path.replace(/\{[^{}]*\}/g, (slot) => ' '.repeat(slot.length)).indexOf('#');
  if (hash >= 0) {
    notes.add(
      'path_fragment',
      `"${path.slice(hash)}" in the path only distinguishes operations; it is not sent.`,
      entry.pathItem.at,
    );
    path = path.slice(0, hash);
  }
  if (!path.startsWith('/')) {
    if (path !== '')
      notes.add('path_slash_added', 'The path does not start with "/"; one is added.', entry.pathItem.at);
    path = `/${path}`;
  }
  const trimmed = path.trim();
  if (trimmed !== path)
    notes.add('path_trimmed', 'White space around the path is left out.', entry.pathItem.at);
  return trimmed;
}

function ownServer(
  reading: Reading,
  entry: OperationEntry,
  operation: Located<PlainObject>,
  notes: Notes,
): string | undefined {
  for (const level of [operation, entry.pathItem]) {
    const servers = level.value['servers'];
    if (!Array.isArray(servers) || servers.length === 0) continue;
    const urls = readServers(reading, { value: servers, at: below(level.at, 'servers') }, notes);
    if (urls.length > 1)
      notes.add(
        'server_chosen',
        `The operation names several servers: ${urls.join(', ')}; the first is used.`,
        below(level.at, 'servers'),
      );
    return urls[0];
  }
  return undefined;
}

function operationId(operation: PlainObject): string | undefined {
  const id = operation['operationId'];
  // An id without a letter or digit is not a name.
  return typeof id === 'string' && /[A-Za-z0-9]/.test(id) ? id : undefined;
}

interface Extension {
  readonly hidden?: string;
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  readonly annotations?: ToolAnnotations;
}

// Several tools have extensions for how an operation appears to agents, with slightly different names.
const extensionNames = ['x-mcp', 'x-mcp-tool', 'x-speakeasy-mcp', 'x-mint', 'x-agent'];
const hidingFlags = ['x-mcp-ignore', 'x-mcp-exclude', 'x-mcp-hidden', 'x-internal', 'x-speakeasy-ignore'];

// The most specific setting wins: an operation can be visible in a document, or on a path, that hides the rest.
function readExtension(operation: PlainObject, pathItem: PlainObject, document: PlainObject): Extension {
  const shownByItself = extensionNames.some(
    (name) => operation[name] === true || objectOr(operation[name])['enabled'] === true,
  );
  for (const flag of hidingFlags) {
    const nearest = operation[flag] ?? (shownByItself ? undefined : (pathItem[flag] ?? document[flag]));
    if (nearest === true) return { hidden: `${flag}: true` };
  }
  for (const name of extensionNames) {
    const outer = operation[name] ?? pathItem[name] ?? hidesAll(document[name]);
    if (outer === false) return { hidden: `${name}: false` };
    if (!isObject(outer)) continue;
    const given = isObject(outer['mcp']) ? outer['mcp'] : outer;
    if (
      given['enabled'] === false ||
      given['disabled'] === true ||
      given['exclude'] === true ||
      given['ignore'] === true
    )
      return { hidden: name };
    const hints = objectOr(given['annotations'] ?? given);
    const annotations: Record<string, boolean> = {};
    for (const hint of ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'])
      if (typeof hints[hint] === 'boolean') annotations[hint] = hints[hint];
    const wanted = textOr(given['name']) ?? textOr(given['tool-name']) ?? textOr(given['toolName']);
    const title = textOr(given['title']);
    const description = textOr(given['description']);
    return {
      ...(wanted && { name: wanted }),
      ...(title && { title }),
      ...(description && { description }),
      annotations,
    };
  }
  return {};
}

// Of a document-wide extension, only the visibility applies to each operation.
function hidesAll(given: unknown): unknown {
  if (given === false) return false;
  const { enabled, disabled, exclude, ignore } = objectOr(given);
  return enabled === false || disabled === true || exclude === true || ignore === true ? given : undefined;
}

// A title that repeats the description adds nothing.
function titleOf(operation: PlainObject, extension: Extension, description: string): { title?: string } {
  const title = extension.title ?? textOr(operation['summary']);
  const tidy = title && cutText(tidyText(title, 200).replace(/\s+/g, ' '), 100);
  return tidy && !saysTheSame(tidy, description) ? { title: tidy } : {};
}

function describe(operation: PlainObject, extension: Extension, entry: OperationEntry, name: string): string {
  if (extension.description) return tidyText(extension.description, maxDescription);
  const summary = tidyText(
    textOr(operation['summary']) ?? textOr(entry.pathItem.value['summary']) ?? '',
    maxDescription,
  );
  const long = tidyText(
    textOr(operation['description']) ?? textOr(entry.pathItem.value['description']) ?? '',
    maxDescription,
  );
  const more = textOr(objectOr(operation['externalDocs'])['url']);
  // A description often starts by repeating the summary.
  const repeats = summary !== '' && long.toLowerCase().startsWith(summary.toLowerCase().replace(/\.$/, ''));
  // A summary that only repeats the name would take the place of what the description says first.
  const saysNothing = long !== '' && repeatsName(summary, name);
  const joined =
    summary === '' || repeats || saysNothing
      ? long
      : long === ''
        ? summary
        : `${/[.!?:]$/.test(summary) ? summary : `${summary}.`}\n\n${long}`;
  const text = cutText(joined || `${entry.method} ${entry.path}`, maxDescription);
  return more && /^https?:\/\//.test(more) && more.length < 300 && text.length + more.length < maxDescription
    ? `${text}\n\nMore: ${more}`
    : text;
}

/** A required parameter with a single possible value is fixed to it. */
function withOnlyValue(parameter: Parameter): Parameter {
  if (!parameter.required) return parameter;
  const { const: only, enum: values } = parameter.schema;
  const value = only ?? (Array.isArray(values) && values.length === 1 ? (values[0] as unknown) : undefined);
  return value === undefined || value === null ? parameter : { ...parameter, fixed: asJson(value) };
}

/** A required parameter with a default is filled with it, so that a model need not repeat it. */
function withOwnDefault(parameter: Parameter): Parameter {
  const preset = parameter.schema['default'];
  if (!parameter.required || parameter.fixed !== undefined || parameter.default !== undefined)
    return parameter;
  if (preset === undefined || preset === null || !fitsType(preset, parameter.schema)) return parameter;
  return { ...parameter, default: asJson(preset) };
}

// Documents also have defaults that their own schema rejects.
function fitsType(value: unknown, { type, enum: values }: JsonSchema): boolean {
  if (Array.isArray(values) && !values.includes(value)) return false;
  if (typeof type !== 'string') return false;
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    default:
      return typeof value === type && value !== '';
  }
}
