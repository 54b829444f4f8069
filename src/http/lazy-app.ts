import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/**
 * Hands a route's requests to a router that is loaded when it is first asked: a gateway that serves agents may never be.
 * Runs before the body is read, which is for the router that knows its limits.
 */
export function handOverTo(load: () => Promise<FastifyInstance>): {
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
        // What kept it from loading may have passed by the next request.
        loading = null;
        throw error;
      }
      reply.hijack();
      router.routing(request.raw, reply.raw);
    },
  };
}
