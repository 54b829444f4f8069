import type { FastifyInstance } from 'fastify';
import { HandrailError } from '../../domain/errors.ts';
import { keptIcon, type KeptIcon } from '../../mcp/render/icons.ts';
import type { AppContext } from '../app-context.ts';

/** Serves the pictures of servers that are kept in their settings, to whoever knows their names. */
export function mountIconRoutes(app: FastifyInstance, { registry }: AppContext): void {
  const find = (file: string): KeptIcon | undefined => {
    for (const server of registry.snapshot.servers.values()) {
      for (const icon of server.icons ?? []) {
        const kept = keptIcon(icon);
        if (kept?.file === file) return kept;
      }
    }
    return undefined;
  };

  app.get<{ Params: { readonly file: string } }>('/icons/:file', async (request, reply) => {
    const icon = find(request.params.file);
    if (icon === undefined) throw new HandrailError('not_found', 'There is no such icon.');
    return (
      reply
        .header('cache-control', 'public, max-age=31536000, immutable')
        .header('x-content-type-options', 'nosniff')
        // An SVG opened by itself is a document: it runs nothing and loads nothing.
        .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
        .header('cross-origin-resource-policy', 'cross-origin')
        .type(icon.mimeType)
        .send(icon.bytes)
    );
  });
}
