import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type HandrailError, toHandrailError } from '../../domain/errors.ts';
import { defaultServerSlug } from '../../domain/server.ts';
import { setChallenge, setRetryAfter } from '../problem.ts';
import type { AppContext } from '../app-context.ts';
import { findAgain, findServer } from '../find-server.ts';

/** MCP at `/mcp/{slug}`, and at `/mcp` for the default server. */
export function mountMcpRoutes(app: FastifyInstance, context: AppContext): void {
  const { mcp, log } = context;

  async function serve(request: FastifyRequest, reply: FastifyReply, slug: string): Promise<void> {
    let found;
    try {
      found = await findServer(context, slug, request.raw, 'mcp');
    } catch (thrown) {
      const error = toHandrailError(thrown);
      if (error.code === 'internal') log.error({ err: error.cause }, 'authenticating a client failed');
      refuseMcp(reply, error);
      return;
    }
    const recheck = () => findAgain(context, slug, request.raw);
    reply.hijack();
    const body = request.body instanceof Uint8Array ? request.body : null;
    await mcp.handle(request.raw, reply.raw, body, { ...found, recheck });
  }

  // The MCP handler rejects methods that the protocol does not use.
  const methods = ['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'HEAD'];
  app.route({
    method: methods,
    url: '/mcp',
    exposeHeadRoute: false,
    handler: (request, reply) => serve(request, reply, defaultServerSlug),
  });
  app.route<{ Params: { slug: string } }>({
    method: methods,
    url: '/mcp/:slug',
    exposeHeadRoute: false,
    handler: (request, reply) => serve(request, reply, request.params.slug),
  });
}

/** Sends an error before the protocol starts, in a form that MCP clients understand. */
export function refuseMcp(reply: FastifyReply, error: HandrailError): void {
  setChallenge(reply, error);
  setRetryAfter(reply, error);
  const code = error.code === 'internal' ? -32603 : -32600;
  void reply
    .code(error.status)
    .type('application/json')
    .send(JSON.stringify({ jsonrpc: '2.0', error: { code, message: error.message }, id: null }));
}
