import type { FastifyInstance, FastifyReply } from 'fastify';
import { toHandrailError } from '../../domain/errors.ts';
import type { AppContext } from '../app-context.ts';
import { createConnectingBrowser } from '../connecting-browser.ts';

/** Where authorization servers send an operator's browser back to; registered there as the redirect URI. */
export const callbackPath = '/oauth/callback';

/** Where a person begins a connection that was asked for elsewhere, such as on the command line. */
export const startPath = '/oauth/start';

/**
 * Begins and ends the connection of an API that an operator asked for. Open, because the browser comes here from
 * elsewhere: what counts is the sealed `state` that only we can have made, good once, for ten minutes and in the browser
 * that it was made for.
 */
export function mountOAuthCallback(
  app: FastifyInstance,
  { credentials, publicUrl, registry, log, config }: AppContext,
): void {
  const browser = createConnectingBrowser(config);

  const refuse = (reply: FastifyReply, thrown: unknown): FastifyReply => {
    const error = toHandrailError(thrown);
    if (error.code === 'internal') log.error({ err: error.cause }, 'connecting failed');
    return reply.code(error.status).send(page('Not connected', error.message));
  };

  app.get<{ Querystring: { ticket?: unknown } }>(startPath, async (request, reply) => {
    asPage(reply);
    // Whoever only looks at the link does not use it up.
    if (request.method === 'HEAD') return reply.send();
    try {
      const { ticket } = request.query;
      const { authorizationUrl, mark } = await credentials.start(typeof ticket === 'string' ? ticket : '');
      browser.mark(request, reply, mark);
      return await reply.redirect(authorizationUrl, 302);
    } catch (thrown) {
      return refuse(reply, thrown);
    }
  });

  app.get(callbackPath, async (request, reply) => {
    asPage(reply);
    try {
      const mark = browser.known(request);
      const credential = await credentials.connected(new URL(request.url, publicUrl()), mark);
      const api = registry.snapshot.apis.get(credential.apiId);
      return await reply.send(
        page('Connected', `${api?.name ?? 'The API'} is connected. You can close this page.`),
      );
    } catch (thrown) {
      return refuse(reply, thrown);
    }
  });
}

function asPage(reply: FastifyReply): void {
  reply
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .header(
      'content-security-policy',
      "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    );
}

function page(title: string, text: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title} · Handrail</title><style>body{font:16px/1.5 system-ui;max-width:40em;margin:15vh auto;padding:0 1em;color-scheme:light dark}</style><h1>${title}</h1><p>${escapeHtml(text)}</p></html>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}
