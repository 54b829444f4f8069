import type { FastifyInstance } from 'fastify';
import { toHandrailError } from '../../domain/errors.ts';
import type { AppContext } from '../app-context.ts';

/** Where authorization servers send an operator's browser back to; registered there as the redirect URI. */
export const callbackPath = '/oauth/callback';

/**
 * Ends the connection of an API that an operator began. Open, because the browser comes here from elsewhere: what
 * counts is the sealed `state` that only we can have made, good once and for ten minutes.
 */
export function mountOAuthCallback(
  app: FastifyInstance,
  { credentials, publicUrl, registry, log }: AppContext,
): void {
  app.get(callbackPath, async (request, reply) => {
    reply
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('referrer-policy', 'no-referrer')
      .header(
        'content-security-policy',
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      );
    try {
      const credential = await credentials.connected(new URL(request.url, publicUrl()));
      const api = registry.snapshot.apis.get(credential.apiId);
      return await reply.send(
        page('Connected', `${api?.name ?? 'The API'} is connected. You can close this page.`),
      );
    } catch (thrown) {
      const error = toHandrailError(thrown);
      if (error.code === 'internal') log.error({ err: error.cause }, 'connecting failed');
      return reply.code(error.status).send(page('Not connected', error.message));
    }
  });
}

function page(title: string, text: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title} · Handrail</title><style>body{font:16px/1.5 system-ui;max-width:40em;margin:15vh auto;padding:0 1em;color-scheme:light dark}</style><h1>${title}</h1><p>${escapeHtml(text)}</p></html>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}
