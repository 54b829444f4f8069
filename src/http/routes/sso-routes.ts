import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { httpErrors } from '../../domain/error-messages/http.ts';
import { toHandrailError } from '../../domain/errors.ts';
import type { IdentityProvider } from '../../domain/identity-provider.ts';
import { escapeHtml } from '../../lib/markup/escape-html.ts';
import type { AppContext } from '../app-context.ts';
import { createCookies, sessionCookie } from '../cookies.ts';

type ByProvider = FastifyRequest<{
  Params: { readonly slug: string };
  Querystring: { readonly to?: unknown; readonly trial?: unknown };
}>;

const cookieName = 'handrail-sso';
const maxAgeS = 600;

/**
 * Starts and completes sign-ins with an identity provider. Public, because the browser arrives from another site: a
 * sign-in is only completed in the browser that started it, once, within ten minutes.
 */
export function mountSsoRoutes(app: FastifyInstance, context: AppContext): void {
  const { registry, singleSignOn, signIn, refusals, config, publicUrl, now, log, catchUp } = context;
  const cookies = createCookies(config);

  async function providerOf(request: ByProvider): Promise<IdentityProvider> {
    await catchUp();
    for (const provider of registry.snapshot.identityProviders.values())
      if (provider.slug === request.params.slug && provider.enabled) return provider;
    throw httpErrors.noSuchProvider();
  }

  const keep = (request: FastifyRequest, reply: FastifyReply, value: string): void =>
    // The browser returns from another site by a link, and with `Strict` it would not send the cookie.
    cookies.set(request, reply, {
      name: cookieName,
      value,
      maxAgeS: value === '' ? 0 : maxAgeS,
      sameSite: 'Lax',
    });

  const refuse = (reply: FastifyReply, thrown: unknown): FastifyReply => {
    const error = toHandrailError(thrown);
    if (error.code === 'internal') log.error({ err: error.cause }, 'signing in failed');
    else if (error.code === 'unavailable')
      log.warn({ err: error.cause ?? error }, 'an identity provider could not sign someone in');
    return reply.code(error.status).send(page('Not signed in', error.message, '/admin', 'Sign in'));
  };

  app.get('/sso/:slug/start', async (request: ByProvider, reply) => {
    asPage(reply);
    // Link previews must not start anything.
    if (request.method === 'HEAD') return reply.send();
    try {
      const { to, trial } = request.query;
      const { url, kept } = await singleSignOn.start(
        await providerOf(request),
        ownPath(to),
        typeof trial === 'string' ? trial : null,
      );
      keep(request, reply, kept);
      return await reply.redirect(url, 302);
    } catch (thrown) {
      return refuse(reply, thrown);
    }
  });

  app.get('/sso/:slug/callback', async (request: ByProvider, reply) => {
    asPage(reply);
    if (request.method === 'HEAD') return reply.send();
    try {
      const provider = await providerOf(request);
      const kept = cookies.read(request, cookieName) ?? null;
      // Before anything is asked of the provider: a sign-in is completed once.
      keep(request, reply, '');
      const from = { address: request.ip, userAgent: request.headers['user-agent'] ?? '' };
      refusals.check(request.ip);
      const callback = new URL(request.url, publicUrl());
      const finished = await singleSignOn.finish(provider, callback, kept);
      if (finished.isTrial) {
        await singleSignOn.keepTrial(provider, finished);
        return await reply.send(
          page('It works', 'Go back to the page of people to see what the provider said.', null, ''),
        );
      }
      const { token, principal } = await signIn.withProvider(provider, finished.facts, from);
      keepSession(request, reply, token, principal.session!.expiresAtMs);
      return await reply.send(onward(finished.to));
    } catch (thrown) {
      try {
        if (toHandrailError(thrown).code === 'forbidden') refusals.refuse(request.ip);
      } catch (tooMany) {
        return refuse(reply, tooMany);
      }
      return refuse(reply, thrown);
    }
  });

  function keepSession(
    request: FastifyRequest,
    reply: FastifyReply,
    value: string,
    expiresAtMs: number,
  ): void {
    const maxSessionAgeS = Math.max(0, Math.floor((expiresAtMs - now()) / 1000));
    cookies.set(request, reply, { name: sessionCookie, value, maxAgeS: maxSessionAgeS, sameSite: 'Strict' });
  }
}

/** A path on this gateway; anything else leads to the app. */
function ownPath(to: unknown): string {
  if (typeof to !== 'string' || to.length > 2_000 || !/^\/(?![/\\])[\x21-\x7e]*$/.test(to)) return '/admin';
  return to.includes('\\') ? '/admin' : to;
}

function asPage(reply: FastifyReply): void {
  reply
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .header(
      'content-security-policy',
      "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    );
}

const style =
  'body{font:16px/1.5 system-ui;max-width:40em;margin:15vh auto;padding:0 1em;color-scheme:light dark}';

/** Leads on from a page of ours: the session's cookie is not sent along with a redirect that began on another site. */
function onward(to: string): string {
  const target = escapeHtml(to);
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="0;url=${target}"><title>Signed in · Handrail</title><style>${style}</style><p><a href="${target}">Continue</a></p></html>`;
}

function page(title: string, words: string, link: string | null, label: string): string {
  const next = link === null ? '' : `<p><a href="${escapeHtml(link)}">${escapeHtml(label)}</a></p>`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title} · Handrail</title><style>${style}</style><h1>${title}</h1><p>${escapeHtml(words)}</p>${next}</html>`;
}
