import { escapeHtml } from '../../lib/markup/escape-html.ts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { toHandrailError } from '../../domain/errors.ts';
import { accountsPath } from '../../credentials/accounts.ts';
import type { AppContext } from '../app-context.ts';
import { createConnectingBrowser } from '../connecting-browser.ts';

/** The redirect URI that is registered with authorization servers. */
export const callbackPath = '/oauth/callback';

/** Where a browser starts a connection that was requested elsewhere, such as on the command line. */
export const startPath = '/oauth/start';

/**
 * Starts and completes the connection of an API. Public, because the browser arrives from another site: access
 * depends on the sealed `state`, which only we can create and which is valid once, for ten minutes, in one browser.
 */
export function mountOAuthCallback(
  app: FastifyInstance,
  { credentials, publicUrl, log, config }: AppContext,
): void {
  const browser = createConnectingBrowser(config);

  const refuse = (reply: FastifyReply, thrown: unknown): FastifyReply => {
    const error = toHandrailError(thrown);
    if (error.code === 'internal') log.error({ err: error.cause }, 'connecting failed');
    return reply.code(error.status).send(page('Not connected', error.message));
  };

  app.get<{ Querystring: { ticket?: unknown } }>(startPath, async (request, reply) => {
    asPage(reply);
    // Link previews must not use up the ticket.
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
      const { api, personId } = await credentials.connected(new URL(request.url, publicUrl()), mark);
      // A person returns to their accounts, in their language.
      if (personId !== null)
        return await reply.redirect(`${accountsPath}?connected=${encodeURIComponent(api.slug)}`, 302);
      return await reply.send(page('Connected', `${api.name} is connected. You can close this page.`));
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
