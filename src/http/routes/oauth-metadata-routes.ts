import type { FastifyInstance } from 'fastify';
import { resourceOf } from '../../access/callers.ts';
import { kindScopes } from '../../domain/connected-app.ts';
import { httpErrors } from '../../domain/error-messages/http.ts';
import { defaultServerSlug } from '../../domain/server.ts';
import type { AppContext } from '../app-context.ts';

/** Protected-resource metadata of each server (RFC 9728): which issuer's tokens it accepts, with which scopes. */
export function mountOAuthMetadataRoutes(app: FastifyInstance, { registry, publicUrl }: AppContext): void {
  function metadataOf(slug: string, isShortUrl: boolean): object {
    const server = registry.snapshot.view(slug)?.server;
    if (server === undefined) throw httpErrors.noOAuthHere();
    const { policy, name } = server;
    if (policy.kind !== 'oauth' && policy.kind !== 'sign-in') throw httpErrors.noOAuthHere();
    const scopes =
      policy.kind === 'sign-in'
        ? kindScopes
        : [...new Set([...(policy.scopes ?? []), ...Object.keys(policy.toolScopes ?? {})])];
    return {
      resource: resourceOf(server, publicUrl(), isShortUrl),
      authorization_servers: [policy.kind === 'sign-in' ? publicUrl() : policy.issuer],
      bearer_methods_supported: ['header'],
      ...(policy.kind === 'sign-in' && { resource_name: name }),
      ...(scopes.length > 0 && { scopes_supported: scopes }),
    };
  }

  const base = '/.well-known/oauth-protected-resource';
  app.get(`${base}/mcp`, () => metadataOf(defaultServerSlug, true));
  app.get<{ Params: { slug: string } }>(`${base}/mcp/:slug`, ({ params }) => metadataOf(params.slug, false));

  // A client that was rejected without a key tries OAuth next and ends up here; this error (RFC 7591) explains it to
  // its user.
  app.post('/register', (_request, reply) =>
    reply.code(404).send({
      error: 'invalid_request',
      error_description:
        'This gateway does not support client registration. Send an access key instead, as "Authorization: Bearer …".',
    }),
  );
}
