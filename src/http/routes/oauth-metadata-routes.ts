import type { FastifyInstance } from 'fastify';
import { resourceOf } from '../../access/callers.ts';
import { HandrailError } from '../../domain/errors.ts';
import { defaultServerSlug } from '../../domain/server.ts';
import type { AppContext } from '../app-context.ts';

/** Protected-resource metadata of each server (RFC 9728): which issuer's tokens it takes, and with which scopes. */
export function mountOAuthMetadataRoutes(app: FastifyInstance, { registry, publicUrl }: AppContext): void {
  function metadataOf(slug: string): object {
    const server = registry.snapshot.view(slug)?.server;
    if (server === undefined || server.policy.kind !== 'oauth') {
      throw new HandrailError('not_found', 'Nothing here is protected by OAuth.');
    }
    const { policy } = server;
    const scopes = [...new Set([...(policy.scopes ?? []), ...Object.keys(policy.toolScopes ?? {})])];
    return {
      resource: resourceOf(server, publicUrl()),
      authorization_servers: [policy.issuer],
      bearer_methods_supported: ['header'],
      ...(scopes.length > 0 && { scopes_supported: scopes }),
    };
  }

  const base = '/.well-known/oauth-protected-resource';
  app.get(`${base}/mcp`, () => metadataOf(defaultServerSlug));
  app.get<{ Params: { slug: string } }>(`${base}/mcp/:slug`, ({ params }) => metadataOf(params.slug));

  // A client that was refused for want of a key looks for OAuth next and ends here, where it shows its user why (in
  // the words of RFC 7591).
  app.post('/register', (_request, reply) =>
    reply.code(404).send({
      error: 'invalid_request',
      error_description:
        'Clients do not register at this gateway. Send an access key of it instead, as "Authorization: Bearer …".',
    }),
  );
}
