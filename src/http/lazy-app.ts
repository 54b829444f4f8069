import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/**
 * Forwards a route's requests to a router that loads on the first request; a gateway that only serves agents never
 * loads it. Runs before the body is read, because that router has its own limits.
 */
export function forwardTo(load: () => Promise<FastifyInstance>): {
  readonly onRequest: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
} {
  let loading: Promise<FastifyInstance> | null = null;

  async function ready(): Promise<FastifyInstance> {
    const router = await load();
    await router.ready();
    return router;
  }

  return {
    async onRequest(request, reply) {
      loading ??= ready();
      let router: FastifyInstance;
      try {
        router = await loading;
      } catch (error) {
        // The next request tries again: the cause may be temporary.
        loading = null;
        throw error;
      }
      reply.hijack();
      router.routing(request.raw, reply.raw);
    },
  };
}
