import { createHandler } from '#explorer';
import type { Caller } from '../domain/call.ts';
import { type ExplorerDependencies, makeExplorerHandler } from '../mcp/inside/explorer-handler.ts';
import { modeParameter, readRequestedMode } from '../mcp/modes/serving-modes.ts';
import type { ServerView } from '../registry/snapshot.ts';
import type { NodeRequest, NodeResponse } from './node-side.ts';

const place = /^(.*\/explorer)(?:\/|$)/;

/** The explorer page of a mounted server, at `explorer` below its endpoint. */
export function openExplorer(dependencies: ExplorerDependencies, currentView: () => ServerView) {
  const prefixOf = (path: string) => place.exec(path)?.[1];

  async function serve(request: Request, prefix: string, caller: Caller): Promise<Response> {
    const view = currentView();
    const { pathname, search } = new URL(request.url);
    if (pathname === `${prefix}/about`) {
      const { name, description, instructions } = view.server;
      const address = new URL(prefix.slice(0, -'/explorer'.length) || '/', request.url).href;
      return Response.json({ title: name, description, instructions, address });
    }
    const mode = readRequestedMode(view.server, modeParameter({ url: `/${search}` }));
    // The app decides by name which headers its own requests get; cookies may be among them.
    const handler = makeExplorerHandler(createHandler, dependencies, view, caller, mode, onlyText);
    return handler(request, prefix);
  }

  return {
    /** The path of the page that a request belongs to; undefined for the endpoint itself. */
    prefixOf: (request: Request) => prefixOf(new URL(request.url).pathname),
    isBelow: (url: string) => prefixOf(url.split('?', 1)[0]!) !== undefined,
    serve,

    /** Serves a Node exchange through the web-standard one; pages and their calls are short. */
    async serveNode(
      req: NodeRequest,
      res: NodeResponse,
      fetch: (request: Request) => Promise<Response>,
    ): Promise<void> {
      const headers = new Headers();
      for (const [name, value] of Object.entries(req.headers))
        if (value !== undefined) headers.set(name, [value].flat().join(', '));
      const { nodeBody } = await import('./node-side.ts');
      const body = req.method === 'POST' ? await nodeBody(req, maxBodyBytes) : null;
      const gone = new AbortController();
      res.once('close', () => gone.abort());
      const response = await fetch(
        new Request(new URL(req.originalUrl ?? req.url ?? '/', `http://${req.headers.host ?? 'localhost'}`), {
          method: req.method ?? 'GET',
          headers,
          signal: gone.signal,
          ...(body instanceof Uint8Array && { body: new Uint8Array(body) }),
        }),
      );
      const content = new Uint8Array(await response.arrayBuffer());
      res.writeHead(response.status, {
        ...Object.fromEntries(response.headers),
        'content-length': content.length,
      });
      res.end(content);
    },
  };
}

const maxBodyBytes = 4 * 1024 * 1024;

function onlyText(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  );
}
