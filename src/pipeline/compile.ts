import { type Api, parseBaseUrl } from '../domain/api.ts';
import { HandrailError } from '../domain/errors.ts';
import type { JsonSchema } from '../domain/json-schema.ts';
import { defaultLimits, type Limits } from '../domain/limits.ts';
import { type Operation, type Parameter, type ParameterPlace, httpMethods } from '../domain/operation.ts';
import { inputSchemaOf, type Tool } from '../domain/tool.ts';
import { compileSchema, type SchemaCheck, SchemaError } from '../lib/json/json-schema.ts';
import { parseBodyTemplate } from './request/body-template.ts';
import { relaxOutputSchema } from './reply/output-schema.ts';
import { bodyWriter } from './request/serialise-body.ts';
import { cookieWriter, headerWriter, pairsWriter, pathWriter } from './request/serialise-parameter.ts';
import { checkShape, shapes } from './reply/shape-reply.ts';
import type { CompiledTool, PathPart, RequestTemplate } from './types.ts';
import { trimEndOf } from '../lib/text/trim-ends.ts';

/** Makes a tool ready to call. Runs when the registry changes, never per call. `defaults` hold where neither says otherwise. */
export function compile(api: Api, tool: Tool, defaults: Limits = defaultLimits): CompiledTool {
  let inputSchema: JsonSchema | undefined;
  let outputSchema: JsonSchema | null | undefined;
  let check: SchemaCheck | undefined;
  let request: RequestTemplate | undefined;
  // Most of ten thousand tools are never called between two changes: each part is made when it is first wanted.
  return {
    tool,
    api,
    limits: { ...defaults, ...api.limits, ...tool.limits },
    apiRatePerMinute: api.limits.ratePerMinute ?? defaults.ratePerMinute,
    get inputSchema() {
      return (inputSchema ??= inputSchemaOf(tool.operation));
    },
    get outputSchema() {
      // The schema describes the whole reply; what shaping makes of it is another thing.
      if (outputSchema === undefined)
        outputSchema = shapes(tool.reply) ? null : relaxOutputSchema(tool.operation.replySchema);
      return outputSchema;
    },
    get request() {
      return (request ??= compileRequest(api, tool.operation));
    },
    check: (args) => (check ??= compileForCalls(inputSchemaOf(tool.operation)))(args),
  };
}

/** Refuses a tool that could never be called, with the reason and the place. Runs when a tool is saved. */
export function checkCompiles(api: Api, tool: Tool): void {
  checkShape(tool.reply);
  checkRequest(api, tool.operation);
  try {
    compileSchema(inputSchemaOf(tool.operation));
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    throw invalid(
      '/operation/parameters',
      `the parameters do not form a valid JSON Schema: ${error.message}`,
    );
  }
}

/** Refuses an operation that no request could be built from. */
export function checkRequest(api: Pick<Api, 'baseUrl' | 'headers'>, operation: Operation): void {
  if (!(httpMethods as readonly string[]).includes(operation.method)) {
    throw invalid(
      '/operation/method',
      `${JSON.stringify(operation.method)} is not a method that can be sent; use one of ${httpMethods.join(', ')}`,
    );
  }
  checkParameters(operation);
  compileRequest(api, operation);
}

// A schema that turns out unusable at the first call fails that call, not the gateway.
function compileForCalls(schema: JsonSchema): SchemaCheck {
  try {
    return compileSchema(schema);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown reason';
    return () => {
      throw new HandrailError(
        'invalid_arguments',
        `The tool's input schema cannot be used (${why}); its operator must mend it.`,
      );
    };
  }
}

function compileRequest(api: Pick<Api, 'baseUrl' | 'headers'>, operation: Operation): RequestTemplate {
  const base = parseBaseUrl(operation.baseUrl ?? api.baseUrl);
  const { path, query } = splitTarget(operation.path);
  const fixedQuery = [base.search.slice(1), query].filter(Boolean).join('&');
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(api.headers)) headers[name.toLowerCase()] = value;
  if (operation.accept !== undefined) headers['accept'] ??= operation.accept;
  return {
    method: operation.method,
    origin: base.origin,
    basePath: trimEndOf(base.pathname, '/'),
    path: parsePath(path, operation),
    fixedQuery,
    headers,
    query: inPlace(operation, 'query').map((parameter) => ({
      name: parameter.name,
      write: pairsWriter(parameter),
    })),
    headerArguments: inPlace(operation, 'header').map((parameter) => ({
      name: parameter.name,
      key: (parameter.key ?? parameter.name).toLowerCase(),
      write: headerWriter(parameter),
    })),
    cookies: inPlace(operation, 'cookie').map((parameter) => ({
      name: parameter.name,
      write: cookieWriter(parameter),
    })),
    body: bodyWriter(operation),
  };
}

function inPlace(operation: Operation, place: ParameterPlace): Parameter[] {
  return operation.parameters.filter((parameter) => parameter.in === place);
}

function splitTarget(template: string): { path: string; query: string } {
  const at = template.indexOf('?');
  if (at < 0) return { path: template, query: '' };
  return { path: template.slice(0, at), query: encodeLiteral(template.slice(at + 1)) };
}

function parsePath(template: string, operation: Operation): PathPart[] {
  const parts: PathPart[] = [];
  const path = template === '' || template.startsWith('/') ? template : `/${template}`;
  let at = 0;
  for (const match of path.matchAll(/\{([^{}/]+)\}/g)) {
    if (match.index > at) parts.push({ text: encodeLiteral(path.slice(at, match.index)) });
    const slot = match[1]!;
    const parameter = inPlace(operation, 'path').find((each) => (each.key ?? each.name) === slot);
    parts.push(
      parameter
        ? { slot, name: parameter.name, write: pathWriter(parameter) }
        : { slot, name: null, write: () => '' },
    );
    at = match.index + match[0].length;
  }
  if (at < path.length) parts.push({ text: encodeLiteral(path.slice(at)) });
  const literal = parts.map((part) => ('text' in part ? part.text : '{}')).join('');
  if (literal.split('/').some(isDotSegment)) {
    throw invalid('/operation/path', 'the path must not contain "." or ".." segments');
  }
  return parts;
}

/** `.` and `..`, also written with percent-escapes: servers and proxies treat them as steps in the tree. */
export function isDotSegment(segment: string): boolean {
  return /^(?:\.|%2e){1,2}$/i.test(segment);
}

// Keeps what a document already escaped and escapes what a request line cannot carry. A `#` would end the path.
function encodeLiteral(text: string): string {
  return text.replace(/%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/%?]/gu, (found) => {
    try {
      return encodeURIComponent(found);
    } catch {
      throw invalid('/operation/path', 'the path holds a character that cannot be sent');
    }
  });
}

/** Header names that frame the message or route it: never an operation's to set. */
const framingHeaders = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'upgrade',
  'keep-alive',
  'te',
  'trailer',
  'expect',
]);

/** Whether an operation may declare this header as a parameter or an API as a default. */
export function isSettableHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return (
    /^[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(lower) && !framingHeaders.has(lower) && !lower.startsWith('proxy-')
  );
}

function checkParameters(operation: Operation): void {
  const names = new Set<string>();
  const places = new Set<string>();
  const slots = new Set([...operation.path.matchAll(/\{([^{}/]+)\}/g)].map((match) => match[1]!));
  operation.parameters.forEach((parameter, index) => {
    const at = `/operation/parameters/${index}`;
    const key = parameter.key ?? parameter.name;
    if (names.has(parameter.name))
      throw invalid(`${at}/name`, `two parameters are named ${JSON.stringify(parameter.name)}`);
    names.add(parameter.name);
    const place = `${parameter.in} ${parameter.in === 'header' ? key.toLowerCase() : key}`;
    if (places.has(place))
      throw invalid(`${at}/key`, `two parameters fill ${parameter.in} ${JSON.stringify(key)}`);
    places.add(place);
    if (parameter.in === 'path' && !slots.has(key)) {
      throw invalid(`${at}/key`, `the path has no {${key}} for this parameter`);
    }
    if (parameter.in === 'header' && !isSettableHeader(key)) {
      throw invalid(`${at}/key`, `the header ${JSON.stringify(key)} cannot be set by a parameter`);
    }
  });
  for (const slot of slots) {
    if (!places.has(`path ${slot}`)) throw invalid('/operation/path', `no path parameter fills {${slot}}`);
  }
  checkBody(operation);
}

function checkBody(operation: Operation): void {
  const inBody = operation.parameters.filter((parameter) => parameter.in === 'body');
  if (operation.body?.shape === 'whole' && inBody.length !== 1) {
    throw invalid('/operation/body', 'a whole body needs exactly one body parameter');
  }
  if (operation.body?.shape !== 'template') return;
  const { placeholders } = parseBodyTemplate(operation.body.template ?? '');
  const known = new Set(operation.parameters.map((parameter) => parameter.name));
  const unknown = placeholders.filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw invalid(
      '/operation/body/template',
      `the template uses ${unknown.map((name) => `{{${name}}}`).join(', ')}, which no parameter defines`,
    );
  }
}

function invalid(path: string, message: string): HandrailError {
  return new HandrailError('invalid_input', `The tool cannot be saved: ${message}.`, {
    problems: [{ path, message }],
  });
}
