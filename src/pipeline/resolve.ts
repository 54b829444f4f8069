import { HandrailError } from '../domain/errors.ts';
import type { JsonValue } from '../domain/json-schema.ts';
import type { Operation, Parameter } from '../domain/operation.ts';
import { type BodyTemplate, fillBodyTemplate, parseBodyTemplate } from './body-template.ts';
import { isDotSegment } from './compile.ts';
import type { Arguments, CompiledTool, RequestBody, RequestPlan } from './types.ts';

/**
 * Builds the request from checked arguments. Pure, and holds no credential. An argument fills exactly its own place:
 * it cannot reach another segment, parameter, header or host.
 */
export function resolve(tool: CompiledTool, args: Arguments): RequestPlan {
  const { request } = tool;
  const { operation } = tool.tool;
  const query: string[] = request.fixedQuery === '' ? [] : [request.fixedQuery];
  const headers: Record<string, string> = { ...request.headers };
  const cookies: string[] = [];
  for (const parameter of operation.parameters) {
    const value = args[parameter.name];
    if (value === undefined) continue;
    const key = parameter.key ?? parameter.name;
    if (parameter.in === 'query') pushQuery(query, key, value, parameter);
    else if (parameter.in === 'header') headers[key.toLowerCase()] = headerValue(parameter, value);
    else if (parameter.in === 'cookie')
      cookies.push(`${encode(key, parameter)}=${encode(plainText(value), parameter)}`);
  }
  if (cookies.length > 0) headers['cookie'] = cookies.join('; ');
  const path = fillPath(tool, args);
  const body = resolveBody(operation, args);
  if (body !== null) headers['content-type'] = body.contentType;
  return {
    method: request.method,
    origin: request.origin,
    target: query.length === 0 ? path : `${path}?${query.join('&')}`,
    headers,
    body,
  };
}

function fillPath(tool: CompiledTool, args: Arguments): string {
  let path = tool.request.basePath;
  let filled = false;
  for (const part of tool.request.path) {
    if ('text' in part) {
      path += part.text;
      continue;
    }
    const parameter = tool.tool.operation.parameters.find(
      (each) => each.in === 'path' && (each.key ?? each.name) === part.slot,
    );
    const value = parameter && args[parameter.name];
    if (parameter === undefined || value === undefined)
      throw unsafe(part.slot, 'is required to fill the path');
    const text = plainText(value);
    if (text === '') throw unsafe(parameter.name, 'must not be empty: it fills a part of the path');
    path += encode(text, parameter);
    filled = true;
  }
  // Encoding leaves dots alone, and two slots of one segment can make `..` together: look at whole segments.
  if (filled && path.includes('/.') && path.split('/').some(isDotSegment)) {
    throw new HandrailError(
      'unsafe_value',
      'A path argument must not be "." or "..": it would lead to another address.',
    );
  }
  return path === '' ? '/' : path;
}

function pushQuery(query: string[], key: string, value: JsonValue, parameter: Parameter): void {
  const name = encode(key, parameter);
  if (Array.isArray(value)) {
    if (parameter.explode === false)
      query.push(`${name}=${value.map((item) => encode(plainText(item), parameter)).join(',')}`);
    else for (const item of value) query.push(`${name}=${encode(plainText(item), parameter)}`);
    return;
  }
  query.push(`${name}=${encode(plainText(value), parameter)}`);
}

function headerValue(parameter: Parameter, value: JsonValue): string {
  const text = Array.isArray(value) ? value.map(plainText).join(',') : plainText(value);
  // Field values are visible characters, spaces and tabs (RFC 9110 section 5.5).
  if (/[^\t\x20-\x7e\x80-\xff]/.test(text)) {
    throw unsafe(parameter.name, 'holds a line break or another character that a header cannot carry');
  }
  return text;
}

function plainText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function encode(text: string, parameter: Parameter): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw unsafe(parameter.name, 'holds half of a character (a lone surrogate) and cannot be sent');
  }
}

const templates = new WeakMap<Operation, BodyTemplate>();

function resolveBody(operation: Operation, args: Arguments): RequestBody | null {
  const inBody = operation.parameters.filter((parameter) => parameter.in === 'body');
  const body =
    operation.body ??
    (inBody.length > 0 ? ({ mediaType: 'application/json', shape: 'fields' } as const) : null);
  if (body === null) return null;
  if (body.shape === 'template') {
    let template = templates.get(operation);
    if (template === undefined)
      templates.set(operation, (template = parseBodyTemplate(operation.body?.template ?? '')));
    return { contentType: body.mediaType, content: fillBodyTemplate(template, args) };
  }
  if (body.shape === 'whole') {
    const value = args[inBody[0]!.name];
    return value === undefined ? null : { contentType: body.mediaType, content: JSON.stringify(value) };
  }
  const fields: Record<string, JsonValue> = {};
  for (const parameter of inBody) {
    const value = args[parameter.name];
    if (value !== undefined) setField(fields, parameter.key ?? parameter.name, value);
  }
  if (Object.keys(fields).length === 0 && !body.required) return null;
  return { contentType: body.mediaType, content: JSON.stringify(fields), fields };
}

// `__proto__` as a field name must stay a field.
function setField(fields: Record<string, JsonValue>, key: string, value: JsonValue): void {
  Object.defineProperty(fields, key, { value, enumerable: true, configurable: true, writable: true });
}

function unsafe(name: string, why: string): HandrailError {
  return new HandrailError('unsafe_value', `${name} ${why}.`, {
    problems: [{ path: `/${name}`, message: why }],
  });
}
