import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { adminCaller, anonymous } from '../../access/callers.ts';
import { type Principal, roleAllows } from '../../domain/person.ts';
import { parseAddressList } from '../../lib/network/address-list.ts';
import type { Caller } from '../../domain/call.ts';
import { httpErrors } from '../../domain/error-messages/http.ts';
import { HandrailError } from '../../domain/errors.ts';
import { listModes, type ListMode } from '../../domain/server.ts';
import { type ExplorerHandler, makeExplorerHandler } from '../../mcp/inside/explorer-handler.ts';
import { modeParameter, readRequestedMode } from '../../mcp/modes/serving-modes.ts';
import type { ServerView } from '../../registry/snapshot.ts';
import type { AppContext } from '../app-context.ts';
import { setChallenge } from '../problem.ts';
import { createCookies, sessionCookie } from '../cookies.ts';
import { findServer, type FoundServer, hasPrivateServers, isPublic, findReachable } from '../find-server.ts';
import { WeakCache } from '../../lib/weak-cache.ts';

/**
 * The explorer page of each server at `/explorer/{slug}`. Access is checked before the library sees a request, on
 * every route but the page itself, so callers can't list, validate or call anything they have no access to.
 */
export function mountExplorerRoutes(app: FastifyInstance, context: AppContext): void {
  let namelessPage: ExplorerHandler | undefined;
  const cookies = createCookies(context.config);
  const { adminAllow } = context.config;
  const allowed = adminAllow.length === 0 ? null : parseAddressList(adminAllow);
  const handlers = new WeakCache<ServerView, WeakCache<Caller, Map<ListMode | undefined, ExplorerHandler>>>();

  async function handlerFor(
    view: ServerView,
    caller: Caller,
    mode: ListMode | undefined,
  ): Promise<ExplorerHandler> {
    // Loaded with the first page: its HTML alone is larger than the rest of this surface.
    const explorer = await import('#explorer');
    let ofView = handlers.get(view);
    if (ofView === undefined) handlers.set(view, (ofView = new WeakCache()));
    let ofCaller = ofView.get(caller);
    if (ofCaller === undefined) ofView.set(caller, (ofCaller = new Map()));
    let handler = ofCaller.get(mode);
    if (handler === undefined)
      ofCaller.set(
        mode,
        (handler = makeExplorerHandler(explorer.createHandler, context, view, caller, mode)),
      );
    return handler;
  }

  /** Anyone can open the page, so the page of a private server reveals nothing about it, not even whether it exists. */
  async function pageFor(slug: string, request: FastifyRequest): Promise<ExplorerHandler> {
    const view = findReachable(context, slug, request.raw);
    if (view !== undefined && isPublic(view.server)) return handlerFor(view, anonymous, undefined);
    if (view === undefined && !hasPrivateServers(context.registry.snapshot))
      throw httpErrors.serverNotFound({ slug });
    const explorer = await import('#explorer');
    return (namelessPage ??= explorer.createHandler(
      [],
      () => Promise.reject(httpErrors.serverNotFound({ slug })),
      {
        allowExecute: true,
        title: 'Tools',
        modes: [...listModes],
        about: true,
        projectName: 'Handrail',
      },
    ));
  }

  const find = async (slug: string, request: FastifyRequest): Promise<FoundServer> =>
    (await findForOperator(slug, request)) ?? (await findServer(context, slug, request.raw, 'explorer'));

  async function routesFor(slug: string, request: FastifyRequest): Promise<ExplorerHandler> {
    const { view, caller } = await find(slug, request);
    return handlerFor(view, caller, readRequestedMode(view.server, modeParameter(request)));
  }

  /**
   * The server, for a signed-in admin who may also call tools in the admin app, so that they need no key to look at
   * it. The cookie is only sent to this site, and requests from other origins were already rejected. A key in the
   * request takes precedence, to show what it gives access to.
   */
  async function findForOperator(slug: string, request: FastifyRequest): Promise<FoundServer | undefined> {
    const sessionToken = cookies.read(request, sessionCookie);
    if (sessionToken === undefined || request.headers.authorization !== undefined) return undefined;
    const view = findReachable(context, slug, request.raw);
    if (view === undefined || isPublic(view.server)) return undefined;
    if (allowed !== null && !allowed.has(request.ip)) return undefined;
    let admin;
    try {
      admin = await context.signIn.authenticate({ sessionToken });
    } catch (error) {
      if (error instanceof HandrailError && error.code === 'unauthenticated') return undefined;
      throw error;
    }
    if (!roleAllows(admin.role, 'editor')) return undefined;
    return { view, caller: operatorOf(admin) };
  }

  // The same object for the same admin, because handlers are cached by caller.
  const operators = new Map<string, Caller>();
  function operatorOf(admin: Principal): Caller {
    let caller = operators.get(admin.id);
    if (caller?.label !== admin.name) operators.set(admin.id, (caller = adminCaller(admin)));
    return caller;
  }

  async function serve(
    request: FastifyRequest<{ Params: { slug: string } }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { slug } = request.params;
    const prefix = `/explorer/${slug}`;
    const isPage = /^\/?(?:\?|$)/.test(request.url.slice(prefix.length));
    const isCall = request.method === 'POST' && /\/call(?:\?|$)/.test(request.url);
    let handler;
    try {
      handler = isPage ? await pageFor(slug, request) : await routesFor(slug, request);
    } catch (error) {
      // A call without access gets the body that every explorer has for it, which reveals nothing else.
      if (!isCall || !(error instanceof HandrailError) || error.code !== 'unauthenticated') throw error;
      setChallenge(reply, error);
      return reply.code(401).send({ error: 'Unauthorized' });
    }
    const gone = new AbortController();
    const onClose = () => gone.abort();
    reply.raw.once('close', onClose);
    const answer = await handler(toWebRequest(request, gone.signal), prefix);
    reply.raw.off('close', onClose);
    reply.code(answer.status);
    for (const [name, value] of answer.headers) reply.header(name, value);
    return reply.send(Buffer.from(await answer.arrayBuffer()));
  }

  /** What the page shows about a server while no tool is open, for callers with access. */
  app.get<{ Params: { slug: string } }>('/explorer/:slug/about', async (request) => {
    const { view } = await find(request.params.slug, request);
    const { slug, name, description, instructions } = view.server;
    return { title: name, description, instructions, address: `${context.publicUrl()}/mcp/${slug}` };
  });

  for (const url of ['/explorer/:slug', '/explorer/:slug/*']) {
    app.route({ method: ['GET', 'POST', 'HEAD', 'OPTIONS'], url, exposeHeadRoute: false, handler: serve });
  }
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
