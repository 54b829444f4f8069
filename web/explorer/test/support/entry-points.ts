import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildUIRoutes, createHandler, createNodeHandler } from '../../dist/index.js';
import type { Route, ToolCallHandler, ToolsProvider, UIConfig } from '../../dist/index.js';

export interface Ask {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** One entry point of the package, called by path as a browser would. */
export interface EntryPoint {
  ask(path: string, init?: Ask): Promise<Response>;
  close(): Promise<void>;
}

type Open = (tools: ToolsProvider, handleCall: ToolCallHandler, config?: UIConfig) => Promise<EntryPoint>;

/** All three entry points, so that each behavior is tested on each. */
export const entryPoints: Record<string, Open> = {
  async createHandler(tools, handleCall, config) {
    const handle = createHandler(tools, handleCall, config);
    return {
      ask: (path, init) => handle(new Request(`http://localhost${path}`, init)),
      close: async () => undefined,
    };
  },
  async createNodeHandler(tools, handleCall, config) {
    const server = createServer(createNodeHandler(tools, handleCall, config));
    // The server may close an idle connection just as the next request is sent.
    server.keepAliveTimeout = 0;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return {
      ask: (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init),
      close: () =>
        new Promise((resolve) => {
          server.close(() => resolve());
          server.closeAllConnections();
        }),
    };
  },
  async buildUIRoutes(tools, handleCall, config) {
    const routes = buildUIRoutes(tools, handleCall, config);
    return {
      ask(path, init = {}) {
        const [route, params] = findRoute(routes, init.method ?? 'GET', path);
        const headers = Object.fromEntries(
          Object.entries(init.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
        );
        return route.handler({ method: route.method, url: path, headers, body: init.body }, params);
      },
      close: async () => undefined,
    };
  },
};

/** A minimal router with decoded parameters. */
function findRoute(routes: Route[], method: string, path: string): [Route, Record<string, string>] {
  const segments = path.split('?')[0]?.split('/') ?? [];
  for (const route of routes) {
    const wanted = route.pattern.split('/');
    if (route.method !== method || wanted.length !== segments.length) continue;
    if (!wanted.every((part, index) => part.startsWith(':') || part === segments[index])) continue;
    return [
      route,
      wanted[2] === undefined || wanted[2] === '' ? {} : { name: decodeURIComponent(segments[2] ?? '') },
    ];
  }
  throw new Error(`no route for ${method} ${path}`);
}
