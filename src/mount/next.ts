import type { HostFetch } from './open-pipeline.ts';

/** What a `route.ts` of Next exports: a function for each method. */
// oxlint-disable-next-line typescript/no-explicit-any -- each route has its own types for what is in its path
export type RouteModule = Readonly<Record<string, any>>;

interface Route {
  readonly pattern: RegExp;
  readonly names: readonly { readonly name: string; readonly isList: boolean }[];
  readonly rank: number;
  readonly module: RouteModule;
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/**
 * Calls the route handlers of a Next app, by their paths as its folders name them: `fetchFromRoutes({ '/api/books/[id]':
 * await import('./books/[id]/route') })`. Next has no function that answers any request, so the routes are listed.
 * Middleware (`proxy.ts`) does not run: it ran for the request to the MCP endpoint.
 */
export function fetchFromRoutes(routes: Readonly<Record<string, RouteModule>>): HostFetch {
  const known = Object.entries(routes)
    .map(([path, module]) => readRoute(path, module))
    .toSorted((a, b) => a.rank - b.rank);
  return async (request) => {
    const { pathname } = new URL(request.url);
    for (const { pattern, names, module } of known) {
      const match = pattern.exec(pathname);
      if (match === null) continue;
      const isHead = request.method === 'HEAD' && module['HEAD'] === undefined;
      const handler: unknown = module[isHead ? 'GET' : request.method];
      if (typeof handler !== 'function') {
        const allow = methods.filter((method) => typeof module[method] === 'function').join(', ');
        return new Response(null, { status: 405, headers: { allow } });
      }
      const params = Object.fromEntries(
        names.flatMap(({ name, isList }, at) => {
          const text = match[at + 1];
          if (text === undefined) return [];
          return [[name, isList ? text.split('/').map(decoded) : decoded(text)]];
        }),
      );
      const response: Response | undefined = await handler(request, { params: Promise.resolve(params) });
      if (response === undefined) return new Response(null, { status: 500 });
      return isHead ? new Response(null, response) : response;
    }
    return new Response(null, { status: 404 });
  };
}

/** Reads `/api/[id]`, `/api/[...rest]` and `/api/[[...rest]]`; groups such as `(shop)` are not part of a path. */
function readRoute(path: string, module: RouteModule): Route {
  const names: { name: string; isList: boolean }[] = [];
  let rank = 0;
  const parts = path.split('/').filter((part) => part !== '' && !/^\(.*\)$/.test(part));
  const text = parts.map((part) => {
    const [, optional, dots, name] = /^\[(\[)?(\.\.\.)?([^[\]]+)\]\]?$/.exec(part) ?? [];
    if (name === undefined) return `/${part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}`;
    names.push({ name, isList: dots !== undefined });
    // The more specific of two routes answers, as in Next.
    rank += dots === undefined ? 1 : optional === undefined ? 100 : 101;
    if (dots === undefined) return '/([^/]+)';
    return optional === undefined ? '/(.+?)' : '(?:/(.+?))?';
  });
  return { pattern: new RegExp(`^${text.join('')}/?$`), names, rank, module };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
