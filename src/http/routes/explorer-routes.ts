import type { createHandler } from '#explorer';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { anonymous } from '../../access/callers.ts';
import { type Caller, mayCall } from '../../domain/call.ts';
import { HandrailError } from '../../domain/errors.ts';
import { waitingText } from '../../domain/waiting.ts';
import { suggestTool } from '../../mcp/render/suggest-tool.ts';
import type { ServerView } from '../../registry/snapshot.ts';
import { callerOf, type AppContext } from '../app-context.ts';

type Handler = (request: Request, prefix?: string) => Promise<Response>;

/**
 * The explorer page of each server at `/explorer/{slug}`. Access is checked before the library sees a request, on
 * every route but the page itself, so nothing is listed, validated or called that the caller may not.
 */
export function mountExplorerRoutes(app: FastifyInstance, context: AppContext): void {
  const handlers = new WeakMap<ServerView, WeakMap<Caller, Handler>>();

  async function handlerFor(view: ServerView, caller: Caller): Promise<Handler> {
    // Loaded with the first page: its document alone is larger than the rest of this surface.
    const explorer = await import('#explorer');
    let ofView = handlers.get(view);
    if (ofView === undefined) handlers.set(view, (ofView = new WeakMap()));
    let handler = ofView.get(caller);
    if (handler === undefined)
      ofView.set(caller, (handler = makeHandler(explorer.createHandler, context, view, caller)));
    return handler;
  }

  async function serve(
    request: FastifyRequest<{ Params: { slug: string } }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { slug } = request.params;
    const view = context.viewOf(slug);
    if (view === undefined)
      throw new HandrailError('not_found', `There is no server "${slug.slice(0, 60)}" here.`);
    const prefix = `/explorer/${slug}`;
    const isPage = /^\/?(?:\?|$)/.test(request.url.slice(prefix.length));
    const caller = isPage ? anonymous : await callerOf(context, view.server, request.raw);
    const gone = new AbortController();
    const onClose = () => gone.abort();
    reply.raw.once('close', onClose);
    const answer = await (await handlerFor(view, caller))(toWebRequest(request, gone.signal), prefix);
    reply.raw.off('close', onClose);
    reply.code(answer.status);
    for (const [name, value] of answer.headers) reply.header(name, value);
    return reply.send(Buffer.from(await answer.arrayBuffer()));
  }

  for (const url of ['/explorer/:slug', '/explorer/:slug/*']) {
    app.route({ method: ['GET', 'POST', 'HEAD', 'OPTIONS'], url, exposeHeadRoute: false, handler: serve });
  }
}

function makeHandler(
  create: typeof createHandler,
  { calls, runCall, log }: AppContext,
  view: ServerView,
  caller: Caller,
): Handler {
  const tools = view.tools
    .filter((listed) => mayCall(caller, listed.compiled.tool.id))
    .map((listed) => ({
      name: listed.name,
      description: listed.description,
      ...(listed.compiled.tool.title !== undefined && { title: listed.compiled.tool.title }),
      inputSchema: listed.compiled.inputSchema as Record<string, unknown>,
      outputSchema: listed.compiled.outputSchema,
      annotations: { ...listed.compiled.tool.annotations },
    }));
  return create(
    tools,
    async (name, args, request) => {
      const call = calls.make({
        view,
        toolName: name,
        caller,
        client: { name: 'handrail-explorer' },
        surface: 'explorer',
        arguments: args,
        signal: request.signal ?? new AbortController().signal,
        clientHeaders: withoutCookies(request.headers),
        traceparent: request.headers['traceparent'],
      });
      if (call === undefined)
        throw new HandrailError(
          'unknown_tool',
          `There is no tool "${name}" here.${suggestTool(view, caller, name)}`,
        );
      const { id } = call;
      const outcome = await runCall(call);
      switch (outcome.kind) {
        case 'done':
          return [[...outcome.output.content], false, id];
        case 'failed':
          return [[{ type: 'text', text: outcome.error.message }], true, id];
        case 'waiting':
          return [[{ type: 'text', text: waitingText(outcome.waiting) }], true, id];
      }
    },
    {
      allowExecute: true,
      title: view.server.name,
      projectName: 'Handrail',
      onError: (err, site) => log.error({ err, ...site }, 'explorer request failed'),
    },
  );
}

// A browser adds its cookies by itself, and among them may be what lets an operator in here.
function withoutCookies(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(
      (pair): pair is [string, string] => typeof pair[1] === 'string' && pair[0] !== 'cookie',
    ),
  );
}

function toWebRequest(request: FastifyRequest, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === 'string') headers.set(name, value);
  }
  const body = request.body instanceof Uint8Array ? request.body : null;
  return new Request(new URL(request.url, 'http://localhost'), {
    method: request.method,
    headers,
    signal,
    ...(body !== null && { body: new Uint8Array(body) }),
  });
}
