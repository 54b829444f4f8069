import type { McpHandler, McpHandlerOptions } from './handler.ts';

/** The MCP surface before its code is loaded: requests that arrive in the meantime wait for it. */
export interface McpHandlerToLoad extends McpHandler {
  /** Loads it, unless a request has already done so. */
  load(): Promise<void>;
}

/**
 * Creates the MCP surface without loading it: the SDK takes as long to load as Node itself, and most commands never
 * need it.
 */
export function createMcpHandlerToLoad(options: McpHandlerOptions): McpHandlerToLoad {
  let handler: McpHandler | null = null;
  let loading: Promise<McpHandler> | null = null;
  let stopping = false;

  async function load(): Promise<McpHandler> {
    const { createMcpHandler } = await import('./handler.ts');
    // The SDK builds answers as web-standard responses, whose code Node loads with the first one.
    Response.json(null);
    handler = createMcpHandler(options);
    if (stopping) handler.endListening();
    return handler;
  }

  const loaded = () => (loading ??= load());

  return {
    handle(req, res, body, context) {
      if (handler !== null) return handler.handle(req, res, body, context);
      return loaded().then((one) => one.handle(req, res, body, context));
    },
    async serveLines(...serving) {
      return (await loaded()).serveLines(...serving);
    },
    async openClient(request) {
      return (await loaded()).openClient(request);
    },
    endListening() {
      stopping = true;
      handler?.endListening();
    },
    counts: () => handler?.counts() ?? { listeners: 0, sessions: 0 },
    async close() {
      await (await loading)?.close();
    },
    async load() {
      await loaded();
    },
  };
}
