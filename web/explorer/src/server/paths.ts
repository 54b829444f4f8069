import type { Route } from './types.ts';

/** What a path asks for: one of the five patterns, and the decoded tool name when it has one. */
export interface MatchedPath {
  pattern: Route['pattern'];
  params: Record<string, string>;
}

/** The path of a request target as node:http gives it: origin-form, or absolute-form from a proxy. */
export function pathOfTarget(target: string): string {
  const withoutQuery = target.split(/[?#]/, 1)[0] ?? '';
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(withoutQuery)?.[0];
  if (scheme === undefined) return withoutQuery || '/';
  const slash = withoutQuery.indexOf('/', scheme.length);
  return slash === -1 ? '/' : withoutQuery.slice(slash);
}

/** A prefix in the form paths arrive in: percent-encoded, a slash in front, none behind, '' for the root. */
export function normalisePrefix(prefix: string): string {
  const path = new URL(`http://prefix.invalid/${prefix.replace(/^\/+/, '')}`).pathname;
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}

/** The path below a normalised prefix, or null when it lies outside. */
export function stripPrefix(path: string, prefix: string): string | null {
  if (prefix === '') return path;
  if (path === prefix) return '/';
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : null;
}

/** Finds the route of a path. Segments are split before they are decoded, so `a%2Fb` is one name. */
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

/** Malformed percent-encoding names no tool: it stays as it came, and the lookup answers 404. */
function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
