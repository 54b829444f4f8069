import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Principal, roleAllows } from '../../domain/person.ts';
import { scopesAllow } from '../../domain/admin-api-token.ts';
import { accessErrors } from '../../domain/error-messages/access.ts';
import { adminApiErrors } from '../../domain/error-messages/admin-api.ts';
import { HandrailError } from '../../domain/errors.ts';
import type { AdminProof } from '../../access/sign-in.ts';
import { sameHash } from '../../access/secrets.ts';
import { parseAddressList } from '../../lib/network/address-list.ts';
import type { Browser, RouteContract } from '../contract/route.ts';
import type { AppContext } from '../app-context.ts';
import { createConnectingBrowser } from '../connecting-browser.ts';
import { createCookies, sessionCookie } from '../cookies.ts';

/**
 * Authenticates and authorizes every request to the admin API, and checks that session requests are from our own
 * pages.
 */
export interface Gate {
  /** Throws unless the request may use a route of this access. */
  admit(
    request: FastifyRequest,
    route: Pick<RouteContract, 'access' | 'tag' | 'method' | 'person'>,
  ): Promise<void>;
  /** Who was admitted; null on public routes. */
  admitted(request: FastifyRequest): Principal | null;
  /** Calls `onEnded` once when the admitted caller loses access. Returns a function that stops watching. */
  watch(request: FastifyRequest, onEnded: () => void): () => void;
  browserOf(request: FastifyRequest, reply: FastifyReply): Browser;
}

const admittedAs = Symbol('admitted as');

/** A request, and who was admitted with it. */
interface AdmittedRequest extends IncomingMessage {
  [admittedAs]?: Principal;
}

/** The header with the session's CSRF token, which a page of another site cannot know. */
export const csrfHeader = 'x-handrail-csrf';

export function createGate({
  signIn,
  config,
  refusals,
  now,
  catchUp,
}: Pick<AppContext, 'signIn' | 'config' | 'refusals' | 'now' | 'catchUp'>): Gate {
  const allowed = parseAddressList(config.adminAllow);
  const cookies = createCookies(config);
  const connecting = createConnectingBrowser(config);

  const proofOf = (request: FastifyRequest): AdminProof => ({
    authorization: request.headers.authorization,
    sessionToken: cookies.read(request, sessionCookie),
  });

  async function authenticated(request: FastifyRequest): Promise<Principal> {
    try {
      return await signIn.authenticate(proofOf(request));
    } catch (error) {
      if (error instanceof HandrailError && error.code === 'unauthenticated') refusals.refuse(request.ip);
      throw error;
    }
  }

  return {
    async admit(request, { access, tag, method, person }) {
      if (config.adminAllow.length > 0 && !allowed.has(request.ip)) throw adminApiErrors.addressNotAllowed();
      await catchUp();
      if (access === 'public') return;
      const principal = await authenticated(request);
      if (principal.via === 'session') requireOwnPage(request, principal);
      if (!roleAllows(principal.role, access)) {
        throw adminApiErrors.roleTooLow({ needed: access, actual: principal.role });
      }
      const how = method === 'GET' ? 'read' : 'write';
      if (tag !== 'session' && !scopesAllow(principal.scopes, tag, how))
        throw accessErrors.scopeTooNarrow({ needed: `${tag}:${how}` });
      if (person !== undefined && principal.via === 'token') throw adminApiErrors.onlyForPeople();
      if (person === 'in-browser' && principal.via !== 'session') throw adminApiErrors.onlyInBrowser();
      const raw: AdmittedRequest = request.raw;
      raw[admittedAs] = principal;
    },

    admitted(request) {
      const raw: AdmittedRequest = request.raw;
      return raw[admittedAs] ?? null;
    },

    watch: (request, onEnded) => signIn.watch(proofOf(request), onEnded),

    browserOf: (request, reply) => ({
      address: request.ip,
      userAgent: request.headers['user-agent'] ?? '',
      keepSession(session) {
        cookies.set(request, reply, {
          name: sessionCookie,
          value: session?.token ?? '',
          maxAgeS: session === null ? 0 : Math.max(0, Math.floor((session.expiresAtMs - now()) / 1000)),
          sameSite: 'Strict',
        });
      },
      connectMark: () => connecting.markOf(request, reply),
    }),
  };
}

// Browsers attach the cookie automatically, so a request with it must prove that one of our own pages sent it.
function requireOwnPage(request: FastifyRequest, principal: Principal): void {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw adminApiErrors.foreignPage();
  if (request.method === 'GET' || request.method === 'HEAD') return;
  const { origin, host } = request.headers;
  if (origin !== undefined && hostOf(origin) !== host?.toLowerCase()) throw adminApiErrors.foreignPage();
  const sent = request.headers[csrfHeader];
  if (typeof sent !== 'string' || !sameHash(sent, principal.csrf)) throw adminApiErrors.csrfTokenMissing();
}

function hostOf(origin: string): string | undefined {
  try {
    return new URL(origin).host;
  } catch {
    return undefined;
  }
}
