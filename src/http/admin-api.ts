import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AppContext } from './app-context.ts';

/**
 * Hands everything under `/api` to the admin API, which is loaded when it is first asked: it is the largest part of the
 * HTTP surface, and a gateway that serves agents may never be asked.
 */
export function mountAdminApi(app: FastifyInstance, context: AppContext): void {
  let loading: Promise<FastifyInstance> | null = null;

  async function load(): Promise<FastifyInstance> {
    const { createAdminApi } = await import('./admin/mount.ts');
    const api = createAdminApi(context);
    await api.ready();
    return api;
  }

  // Before the body is read, which is for the router that knows its limits.
  async function handOver(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const api = await (loading ??= load());
    reply.hijack();
    api.routing(request.raw, reply.raw);
  }

  for (const url of ['/api', '/api/*']) app.all(url, { onRequest: handOver }, () => undefined);
}
