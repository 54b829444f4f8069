import { HandrailError } from '../../domain/errors.ts';
import { pipelineErrors } from '../../domain/error-messages/pipeline.ts';
import { isDotSegment } from '../../domain/operation.ts';
import { withDigits } from '../../lib/json/numbers/exact-numbers.ts';
import { unsafeValueError } from './percent-encode.ts';
import type { OpenedFiles } from '../files.ts';
import type { Arguments } from '../arguments/checked-arguments.ts';
import type { CompiledTool } from '../compiled-tool.ts';
import type { RequestPlan } from './request-plan.ts';

/**
 * Builds the request from validated arguments. Pure, and contains no credential. An argument fills exactly its own place:
 * it cannot reach another segment, parameter, header or host. `target` replaces the path and query: the address that the
 * API gave for its next page, which is always a GET on its own origin.
 */
export function resolve(
  tool: CompiledTool,
  given: Arguments,
  files: OpenedFiles | null = null,
  target?: string | null,
): RequestPlan {
  const { request } = tool;
  if (request.refusal !== null) throw new HandrailError('credential_missing', request.refusal);
  const args = withDigits(given);
  const query: string[] = request.fixedQuery === '' ? [] : [request.fixedQuery];
  const headers: Record<string, string> = { ...request.headers };
  for (const { name, write } of request.query) {
    const value = args[name];
    if (value === undefined) continue;
    for (const pair of write(value)) query.push(withinLength(name, pair, maxQueryValue, 'the query'));
  }
  for (const { name, key, write } of request.headerArguments) {
    const value = args[name];
    const text = value === undefined ? null : write(value);
    if (text !== null) headers[key] = withinLength(name, text, maxHeaderValue, 'a header');
  }
  if (request.cookies.length > 0) {
    const cookies = request.cookies.flatMap(({ name, write }) => {
      const value = args[name];
      return value === undefined ? [] : write(value);
    });
    // The operator's cookies come first.
    if (cookies.length > 0) headers['cookie'] = [headers['cookie'] ?? [], cookies].flat().join('; ');
  }
  if (typeof target === 'string')
    return { method: 'GET', origin: request.origin, target, headers: withoutBody(headers), body: null };
  const path = fillPath(tool, args);
  const requestTarget = query.length === 0 ? path : `${path}?${query.join('&')}`;
  if (requestTarget.length > maxTarget)
    throw pipelineErrors.targetTooLong({ length: requestTarget.length, maxLength: maxTarget });
  const body = request.body(given, files);
  if (body !== null) headers['content-type'] = body.contentType;
  return {
    method: request.method,
    origin: request.origin,
    target: requestTarget,
    headers,
    body,
  };
}

// As encoded. Servers refuse longer ones, most of them with a page that says nothing.
const maxPathValue = 8_192;
const maxHeaderValue = 8_192;
const maxQueryValue = 32_768;
const maxTarget = 65_536;

function withinLength(name: string, text: string, maxLength: number, place: string): string {
  if (text.length <= maxLength) return text;
  throw unsafeValueError(
    name,
    `is too long for ${place}: ${text.length} characters once encoded, and the limit is ${maxLength}`,
  );
}

function withoutBody(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('content-')));
}

// A quick test that settles nearly every path. An argument that keeps its escapes can write a dot as `%2e`.
function mayHoldDots(path: string): boolean {
  return path.includes('/.') || path.includes('/%2');
}

function fillPath(tool: CompiledTool, args: Arguments): string {
  let path = tool.request.basePath;
  let filled = false;
  for (const part of tool.request.path) {
    if ('text' in part) {
      path += part.text;
      continue;
    }
    const value = part.name === null ? undefined : args[part.name];
    if (part.name === null || value === undefined)
      throw unsafeValueError(part.slot, 'is required to fill the path');
    const text = part.write(value);
    if (text === '') throw unsafeValueError(part.name, 'must not be empty: it fills a part of the path');
    path += withinLength(part.name, text, maxPathValue, 'the path');
    filled = true;
  }
  // Encoding leaves dots alone, and two slots in one segment can form `..` together: check whole segments.
  if (filled && mayHoldDots(path) && path.split('/').some(isDotSegment)) {
    throw pipelineErrors.dotSegment();
  }
  return path === '' ? '/' : path;
}
