import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Server } from '../../domain/server.ts';
import { defaultServerSlug } from '../../domain/server.ts';
import { entityTag, registryEntry, serverCard, serverCardType } from '../../mcp/render/server-card.ts';
import type { AppContext } from '../app-context.ts';
import { findServer } from '../find-server.ts';
import { objectOr, textOr } from '../../lib/json/plain-object.ts';

type Describe = (server: Server, url: string, iconsAt: string) => Record<string, unknown>;

/** Describes a server without connecting: its card and its registry entry. Available to anyone who may connect. */
export function mountServerCardRoutes(app: FastifyInstance, context: AppContext): void {
  const { publicUrl } = context;

  const serve =
    (describe: Describe, type: string) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const slug = textOr(objectOr(request.params)['slug']) ?? defaultServerSlug;
      const { view } = await findServer(context, slug, request.raw, null);
      const path = slug === defaultServerSlug ? '/mcp' : `/mcp/${slug}`;
      const text = JSON.stringify(describe(view.server, `${publicUrl()}${path}`, publicUrl()));
      const tag = entityTag(text);
      void reply.header('etag', tag).header('cache-control', 'no-cache');
      if (request.headers['if-none-match'] === tag) return reply.code(304).send();
      return reply.type(type).send(text);
    };

  const card = serve(serverCard, serverCardType);
  const entry = serve(registryEntry, 'application/json');
  app.get('/mcp/server-card', card);
  app.get('/mcp/:slug/server-card', card);
  app.get('/.well-known/mcp/server-card.json', card);
  app.get('/mcp/server.json', entry);
  app.get('/mcp/:slug/server.json', entry);
}
