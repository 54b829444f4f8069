import type { HostFetch } from './open-pipeline.ts';

/** What a `route.ts` of Next exports: a function for each method. */
// oxlint-disable-next-line typescript/no-explicit-any -- each route has its own types for what is in its path
export type RouteModule = Readonly<Record<string, any>>;

/** A part of a route's path: its text, or the name of what it takes. */
type Part = string | { readonly name: string; readonly takes: 'one' | 'rest' | 'rest or nothing' };

interface Route {
  readonly parts: readonly Part[];
  readonly rank: number;
  readonly module: RouteModule;
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/**
 * Calls the route handlers of a Next app, by their paths as its folders name them: `fetchFromRoutes({
 * '/api/books/[id]': book })`, where `book` is all that this route's `route.ts` exports. Next has no function that answers
 * any request, so the routes are listed.
 * Middleware (`proxy.ts`) does not run: it ran for the request to the MCP endpoint.
 */
export function fetchFromRoutes(routes: Readonly<Record<string, RouteModule>>): HostFetch {
  const known = Object.entries(routes)
    .map(([path, module]) => readRoute(path, module))
    .toSorted((a, b) => a.rank - b.rank);
  return async (request) => {
    const { pathname } = new URL(request.url);
    const path = pathname.slice(1, pathname.length > 1 && pathname.endsWith('/') ? -1 : undefined);
    const segments = path === '' ? [] : path.split('/');
    for (const { parts, module } of known) {
      const params = paramsOf(parts, segments);
      if (params === null) continue;
      const isHead = request.method === 'HEAD' && module['HEAD'] === undefined;
      const handler: unknown = module[isHead ? 'GET' : request.method];
      if (typeof handler !== 'function') {
        const allow = methods.filter((method) => typeof module[method] === 'function').join(', ');
        return new Response(null, { status: 405, headers: { allow } });
      }
      const response: Response | undefined = await handler(request, { params: Promise.resolve(params) });
      if (response === undefined) return new Response(null, { status: 500 });
      return isHead ? new Response(null, response) : response;
    }
    return new Response(null, { status: 404 });
  };
}

/** Reads `/api/[id]`, `/api/[...rest]` and `/api/[[...rest]]`; groups such as `(shop)` are not part of a path. */
function readRoute(path: string, module: RouteModule): Route {
  let rank = 0;
  const texts = path.split('/').filter((part) => part !== '' && !/^\(.*\)$/.test(part));
  const parts = texts.map((text): Part => {
    const [, optional, dots, name] = /^\[(\[)?(\.\.\.)?([^[\]]+)\]\]?$/.exec(text) ?? [];
    if (name === undefined) return text;
    const takes = dots === undefined ? 'one' : optional === undefined ? 'rest' : 'rest or nothing';
    // The more specific of two routes answers, as in Next.
    rank += { one: 1, rest: 100, 'rest or nothing': 101 }[takes];
    return { name, takes };
  });
  return { parts, rank, module };
}

/** What a route takes from a path, or null if it is not one of its paths. */
function paramsOf(
  parts: readonly Part[],
  segments: readonly string[],
): Record<string, string | string[]> | null {
  const params: Record<string, string | string[]> = {};
  for (const [at, part] of parts.entries()) {
    const segment = segments[at];
    if (typeof part === 'string') {
      if (segment !== part) return null;
    } else if (part.takes === 'one') {
      if (!segment) return null;
      params[part.name] = decoded(segment);
    } else {
      const rest = segments.slice(at);
      if (rest.length === 0 && part.takes === 'rest') return null;
      if (rest.length > 0) params[part.name] = rest.map(decoded);
      return params;
    }
  }
  return parts.length === segments.length ? params : null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
