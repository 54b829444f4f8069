import type { Route } from './types.ts';

/** What a path requests: one of the five patterns, and the decoded tool name if it has one. */
export interface MatchedPath {
  pattern: Route['pattern'];
  params: Record<string, string>;
}

/** The path of a request target as node:http provides it: origin-form, or absolute-form from a proxy. */
export function pathOfTarget(target: string): string {
  const withoutQuery = target.split(/[?#]/, 1)[0] ?? '';
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(withoutQuery)?.[0];
  if (scheme === undefined) return withoutQuery || '/';
  const slash = withoutQuery.indexOf('/', scheme.length);
  return slash === -1 ? '/' : withoutQuery.slice(slash);
}

/** A normalized prefix: percent-encoded, with a leading slash and no trailing one; '' for the root. */
export function normalizePrefix(prefix: string): string {
  const path = new URL(`http://prefix.invalid/${prefix.replace(/^\/+/, '')}`).pathname;
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}

/** The path below a normalized prefix, or null if it is outside. */
export function stripPrefix(path: string, prefix: string): string | null {
  if (prefix === '') return path;
  if (path === prefix) return '/';
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : null;
}

/** Finds the route of a path. Segments are split before decoding, so `a%2Fb` is one name. */
export function matchPath(path: string): MatchedPath | null {
  const trimmed = path.length > 1 ? path.replace(/\/$/, '') : path;
  if (trimmed === '/' || trimmed === '') return { pattern: '/', params: {} };
  const [root, first, second, action, ...rest] = trimmed.split('/');
  if (root !== '' || first !== 'tools' || rest.length > 0) return null;
  if (second === undefined) return { pattern: '/tools', params: {} };
  if (second === '') return null;
  const params = { name: decodeSegment(second) };
  if (action === undefined) return { pattern: '/tools/:name', params };
  if (action === 'validate') return { pattern: '/tools/:name/validate', params };
  if (action === 'call') return { pattern: '/tools/:name/call', params };
  return null;
}

/** Malformed percent-encoding matches no tool: it is kept verbatim, and the lookup returns 404. */
function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
