import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createRefusalLimit } from '../../access/refusal-limit.ts';
import { authorizationMetadata, paths } from '../../authorization/metadata.ts';
import { authorizationErrors } from '../../domain/error-messages/authorization.ts';
import { HandrailError } from '../../domain/errors.ts';
import { failurePage } from '../authorization/consent-page.ts';
import { createConsent } from '../authorization/consent.ts';
import type { AppContext } from '../app-context.ts';
import { pageHeaders, sendPage } from '../plain-page.ts';
import { setRetryAfter } from '../problem.ts';

const maxRegistrationBytes = 16 * 1024;
// Per minute and address: an office behind one address registers and signs in at the same time.
const maxRegistrations = 30;
const maxSignIns = 120;
const maxDocuments = 60;
const perAddress = (count: number, now: () => number) =>
  createRefusalLimit({ perAddress: count, total: count * 20, now });

/** The built-in authorization server: its metadata, its addresses, and the page that asks people. */
export function mountAuthorizationRoutes(app: FastifyInstance, context: AppContext): void {
  const { authorization, config, publicUrl, clientAddress, registry, now } = context;
  const registrations = perAddress(maxRegistrations, now);
  const signIns = perAddress(maxSignIns, now);
  const documents = perAddress(maxDocuments, now);

  const pages = {
    errorPage(req: IncomingMessage, failure: { readonly code: string; readonly description: string }) {
      const nonce = randomBytes(16).toString('base64');
      const { html, language } = failurePage(req.headers['accept-language'], nonce, failure);
      return { html, headers: { ...pageHeaders(nonce), 'content-language': language } };
    },
    allowFetch: (req: IncomingMessage) => isWithin(() => documents.refuse(clientAddress(req))),
  };
  const requireUse = (): void => {
    if (!authorization.isUsed()) throw authorizationErrors.notUsed();
  };
  const metadata = (): object => {
    requireUse();
    return authorizationMetadata(publicUrl(), config.clientDocuments);
  };
  const wellKnown = '/.well-known/oauth-authorization-server';
  for (const url of [wellKnown, `${wellKnown}/*`, '/.well-known/openid-configuration'])
    app.get(url, metadata);

  app.get(paths.jwks, async () => {
    // APIs whose calls say who is calling read it as well.
    const isAsked = [...registry.snapshot.apis.values()].some(
      ({ identity }) => identity?.header !== undefined,
    );
    if (!isAsked) requireUse();
    return { keys: await authorization.signingKeys.publicKeys() };
  });

  app.post(paths.register, async (request, reply) => {
    requireUse();
    reply.header('cache-control', 'no-store');
    const address = clientAddress(request.raw);
    try {
      registrations.check(address);
    } catch (error) {
      if (!(error instanceof HandrailError)) throw error;
      setRetryAfter(reply, error);
      const seconds = Math.ceil((error.details.retryAfterMs ?? 0) / 1000);
      const { message } = authorizationErrors.tooManyRegistrations({ seconds });
      return reply.code(429).send({ error: 'temporarily_unavailable', error_description: message });
    }
    const { status, body, isNew } = await authorization.register(pages, parsed(request.body));
    // Someone who sets the same app up again fills nothing.
    if (isNew) registrations.refuse(address);
    return reply.code(status).send(body);
  });

  // Before the body is read: the library reads it itself.
  const served = {
    async onRequest(request: FastifyRequest, reply: FastifyReply) {
      requireUse();
      if (request.method === 'GET') signIns.refuse(clientAddress(request.raw));
      const loaded = await authorization.load(pages);
      reply.hijack();
      loaded.serve(request.raw, reply.raw);
    },
  };
  app.get(paths.authorize, served, () => undefined);
  app.get(`${paths.authorize}/:uid`, served, () => undefined);
  app.post(paths.token, served, () => undefined);
  app.post(paths.revoke, served, () => undefined);

  const consent = createConsent(context, pages);
  app.get(`${paths.consent}/:uid`, consent.show);
  app.post(`${paths.consent}/:uid`, { bodyLimit: 1024 * 1024 }, consent.decide);
  app.get(paths.consent, (request, reply) => {
    const nonce = randomBytes(16).toString('base64');
    return sendPage(reply, 404, failurePage(request.headers['accept-language'], nonce), nonce);
  });
}

function parsed(body: unknown): unknown {
  if (!(body instanceof Uint8Array)) return null;
  if (body.length > maxRegistrationBytes) throw authorizationErrors.registrationTooLarge();
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    return null;
  }
}

function isWithin(count: () => void): boolean {
  try {
    count();
    return true;
  } catch {
    return false;
  }
}
