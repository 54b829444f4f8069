import type { IncomingHttpHeaders } from 'node:http';
import type { JsonSchema } from '../domain/json-schema.ts';
import { fieldOf, isObject, objectOr } from '../lib/json/plain-object.ts';
import { WeakCache } from '../lib/weak-cache.ts';

// Tool parameters mirrored as `Mcp-Param-{Name}` headers, so that proxies can route without reading bodies
// (https://modelcontextprotocol.io/specification/2026-07-28/basic/transports). The SDK checks them only for its own
// registry of tools, so this surface does it.

/** One mirrored parameter: its path in the arguments and the header that repeats it. */
export interface ParamHeader {
  readonly path: readonly string[];
  readonly header: string;
  readonly numeric: boolean;
}

const keyword = 'x-mcp-header';
const headerToken = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const known = new WeakCache<JsonSchema, readonly ParamHeader[] | null>();

/**
 * The mirrored parameters of an input schema; null if a declaration breaks the rules, which invalidates all of them.
 */
export function paramHeadersOf(schema: JsonSchema): readonly ParamHeader[] | null {
  let headers = known.get(schema);
  if (headers === undefined) {
    headers = scan(schema);
    known.set(schema, headers);
  }
  return headers;
}

/** The schema without the keyword, for schemas whose declarations cannot be honored. */
export function withoutParamHeaders(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => key !== keyword)
      .map(([key, value]) => [key, withoutInside(value)]),
  );
}

function withoutInside(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutInside);
  return isObject(value) ? withoutParamHeaders(value) : value;
}

function scan(schema: JsonSchema): readonly ParamHeader[] | null {
  const found: ParamHeader[] = [];
  const names = new Set<string>();
  let mentioned = 0;
  const visit = (node: unknown, path: readonly string[]): boolean => {
    for (const [name, child] of Object.entries(objectOr(objectOr(node)['properties']))) {
      if (!isObject(child)) continue;
      const { [keyword]: declared, type } = child;
      const at = [...path, name];
      if (declared !== undefined) {
        mentioned++;
        if (typeof declared !== 'string' || !headerToken.test(declared)) return false;
        if (type !== 'string' && type !== 'integer' && type !== 'boolean') return false;
        if (names.has(declared.toLowerCase())) return false;
        names.add(declared.toLowerCase());
        found.push({ path: at, header: `mcp-param-${declared.toLowerCase()}`, numeric: type === 'integer' });
      }
      if (!visit(child, at)) return false;
    }
    return true;
  };
  if (!visit(schema, [])) return null;
  // A declaration below items, unions or definitions has no unique place in the arguments.
  return countMentions(schema) === mentioned ? found : null;
}

function countMentions(node: unknown): number {
  if (Array.isArray(node)) return node.reduce<number>((sum, item) => sum + countMentions(item), 0);
  if (typeof node !== 'object' || node === null) return 0;
  return Object.entries(node).reduce(
    (sum, [key, value]) => sum + (key === keyword ? 1 : countMentions(value)),
    0,
  );
}

/** The value of a mirrored parameter in the arguments of a call; undefined if there is nothing to mirror. */
export function paramValue({ path }: ParamHeader, args: unknown): string | number | boolean | undefined {
  const value = path.reduce<unknown>(
    (node, key) => (typeof node === 'object' && node !== null ? fieldOf(node, key) : undefined),
    args,
  );
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : undefined;
}

/** What is wrong with the mirrored headers of a call, in words; undefined if they match the arguments. */
export function paramHeaderMismatch(
  declared: readonly ParamHeader[],
  args: unknown,
  headers: IncomingHttpHeaders,
): { readonly header: string; readonly body: string } | undefined {
  for (const one of declared) {
    const { path, header, numeric } = one;
    const value = paramValue(one, args);
    if (value === undefined) continue;
    const place = path.join('.');
    const sent = headers[header];
    if (typeof sent !== 'string') {
      return {
        header,
        body: `the body carries ${place}=${JSON.stringify(value)} but the ${header} header is absent`,
      };
    }
    const decoded = decodeHeaderValue(sent);
    if (decoded === undefined)
      return { header, body: `the ${header} header carries an invalid Base64 sentinel value` };
    const equal =
      numeric && typeof value === 'number' && /^-?\d+(\.\d+)?$/.test(decoded)
        ? Number(decoded) === value
        : decoded === String(value);
    if (!equal) {
      const body = `the ${header} header decodes to ${JSON.stringify(decoded)} but the body carries ${place}=${JSON.stringify(value)}`;
      return { header, body };
    }
  }
  return undefined;
}

/** The decoded value of a header: literal, or `=?base64?…?=`; undefined if the base64 is not canonical. */
function decodeHeaderValue(value: string): string | undefined {
  if (!value.startsWith('=?base64?') || !value.endsWith('?=')) return value;
  const encoded = value.slice(9, -2);
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.toString('base64') !== encoded) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Whether the standard headers of a modern request are present and match its body. */
export function standardHeadersAgree(
  headers: IncomingHttpHeaders,
  revision: string,
  method: string,
  name: string | null,
): boolean {
  if (headers['mcp-protocol-version'] !== revision || headers['mcp-method'] !== method) return false;
  if (name === null) return true;
  const sent = headers['mcp-name'];
  return typeof sent === 'string' && (sent === name || decodeHeaderValue(sent) === name);
}
