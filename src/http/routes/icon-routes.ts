import type { FastifyInstance } from 'fastify';
import { httpErrors } from '../../domain/error-messages/http.ts';
import { keptIcon, type KeptIcon } from '../../mcp/render/icons.ts';
import type { AppContext } from '../app-context.ts';

/** Serves the icons stored in server settings to anyone who knows their file names. */
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
    if (icon === undefined) throw httpErrors.iconNotFound();
    return (
      reply
        .header('cache-control', 'public, max-age=31536000, immutable')
        .header('x-content-type-options', 'nosniff')
        // An SVG opened directly is a document; don't let it run or load anything.
        .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
        .header('cross-origin-resource-policy', 'cross-origin')
        .type(icon.mimeType)
        .send(icon.bytes)
    );
  });
}
