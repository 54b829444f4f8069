import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { adminCaller } from '../../access/callers.ts';
import { tokenPrincipalId } from '../../access/sign-in.ts';
import { accessErrors } from '../../domain/error-messages/access.ts';
import { adminApiErrors } from '../../domain/error-messages/admin-api.ts';
import { HandrailError, toHandrailError } from '../../domain/errors.ts';
import type { Principal } from '../../domain/person.ts';
import type { Server } from '../../domain/server.ts';
import { parseAddressList } from '../../lib/network/address-list.ts';
import type { ServerView } from '../../registry/snapshot.ts';
import type { AdminTool, AskAdminApi } from '../admin/admin-tools.ts';
import type { AppContext } from '../app-context.ts';
import { refuseMcp } from './mcp-routes.ts';

const maxViews = 64;

/**
 * The gateway as an MCP server of itself: admin routes that their contracts offer, for a token with a role and scopes. A
 * call is a request to the admin API with the caller's own token, so that everything is checked and audited there.
 */
export function mountAdminMcp(app: FastifyInstance, context: AppContext): void {
  const { mcp, log, signIn, refusals, catchUp } = context;
  const allowed = parseAddressList(context.config.adminAllow);
  let loading: ReturnType<typeof load> | null = null;

  async function load() {
    const { adminRoutes } = await import('../admin/mount.ts');
    const { adminTools, mayUse, adminFeatures } = await import('../admin/admin-tools.ts');
    return { tools: adminTools(adminRoutes(context)), mayUse, adminFeatures };
  }

  // One view for each set of tools: what is prepared for a view is the same for all who see it.
  const views = new Map<string, ServerView>();
  function viewOf(tools: readonly AdminTool[]): ServerView {
    const key = tools.map(({ definition }) => definition.name).join();
    let view = views.get(key);
    if (view === undefined) {
      if (views.size >= maxViews) views.clear();
      views.set(key, (view = { server: adminServer, tools: [], byName: new Map() }));
    }
    return view;
  }

  /** Who sent the token. Cookies are ignored: a browser would attach it to what a page of another site sends. */
  async function authenticate(request: FastifyRequest): Promise<Principal> {
    if (context.config.adminAllow.length > 0 && !allowed.has(request.ip))
      throw adminApiErrors.addressNotAllowed();
    await catchUp();
    refusals.check(request.ip);
    let principal;
    try {
      principal = await signIn.authenticate({
        authorization: request.headers.authorization,
        sessionToken: undefined,
      });
    } catch (error) {
      if (error instanceof HandrailError && error.code === 'unauthenticated') refusals.refuse(request.ip);
      throw error;
    }
    if (principal.id === tokenPrincipalId) throw accessErrors.adminToolsNeedOwnToken();
    return principal;
  }

  /** Asks the admin API as the caller would: from the same address, with the same token. */
  function askAs(request: FastifyRequest): AskAdminApi {
    const { authorization, 'x-forwarded-for': forwarded } = request.headers;
    const { remoteAddress } = request.raw.socket;
    return async ({ method, url, body, revision }) => {
      const answer = await app.inject({
        method,
        url: `/api/v1${url}`,
        ...(remoteAddress !== undefined && { remoteAddress }),
        headers: {
          host: 'localhost',
          authorization,
          ...(forwarded !== undefined && { 'x-forwarded-for': forwarded }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(revision !== undefined && { 'if-match': `"${revision}"` }),
        },
        ...(body !== undefined && { payload: JSON.stringify(body) }),
      });
      return { status: answer.statusCode, text: answer.payload };
    };
  }

  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: `/mcp/${adminServer.slug}`,
    exposeHeadRoute: false,
    async handler(request, reply: FastifyReply) {
      let given;
      try {
        const principal = await authenticate(request);
        // The next request tries again: the cause may be temporary.
        loading ??= load().catch((error: unknown) => {
          loading = null;
          throw error;
        });
        const { tools, mayUse, adminFeatures } = await loading;
        const usable = tools.filter((tool) => mayUse(tool, principal));
        given = {
          view: viewOf(usable),
          caller: adminCaller(principal),
          native: adminFeatures(usable, askAs(request)),
        };
      } catch (thrown) {
        const error = toHandrailError(thrown);
        if (error.code === 'internal') log.error({ err: error.cause }, 'the admin tools are unavailable');
        refuseMcp(reply, error);
        return;
      }
      let hasEnded = false;
      const proof = { authorization: request.headers.authorization, sessionToken: undefined };
      reply.raw.once(
        'close',
        signIn.watch(proof, () => {
          hasEnded = true;
          // A stream that only listens would stay open until the registry changes.
          reply.raw.destroy();
        }),
      );
      const body = request.body instanceof Uint8Array ? request.body : null;
      reply.hijack();
      const recheck = () => (hasEnded ? undefined : given);
      await mcp.handle(request.raw, reply.raw, body, { ...given, recheck });
    },
  });
}

/** No slug of an operator's server can have an underscore. */
const adminServer: Server = {
  id: '_admin',
  slug: '_admin',
  name: 'Handrail administration',
  instructions:
    'Manage this Handrail gateway: import APIs, look at their tools, publish servers and read what they cost in tokens. Plan an import with dryRun: true and show the plan before you apply it. People, access and secrets are managed in the admin app.',
  tools: [],
  overrides: {},
  policy: { kind: 'key' },
  ratePerMinute: 0,
  mode: 'direct',
  enabled: true,
  revision: 0,
  createdAtMs: 0,
  updatedAtMs: 0,
};
