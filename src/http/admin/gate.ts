import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type AdminPrincipal, roleAllows } from '../../domain/admin.ts';
import { HandrailError } from '../../domain/errors.ts';
import type { AdminProof } from '../../access/admins.ts';
import { sameHash } from '../../access/secrets.ts';
import { parseAddressList } from '../../lib/network/address-list.ts';
import type { Browser, RouteContract } from '../contract/route.ts';
import type { AppContext } from '../app-context.ts';
import { createConnectingBrowser } from '../connecting-browser.ts';
import { createCookies, sessionCookie } from '../cookies.ts';

/** Stands before every route of the admin API: who asks, whether they may, and whether a page of ours asked. */
export interface Gate {
  /** Throws unless the request may use a route of this access. */
  admit(request: FastifyRequest, access: RouteContract['access']): Promise<void>;
  /** Who was admitted; null on public routes. */
  admitted(request: FastifyRequest): AdminPrincipal | null;
  /** Tells once when whoever was admitted would no longer be. Returns how to stop. */
  watch(request: FastifyRequest, onEnded: () => void): () => void;
  browserOf(request: FastifyRequest, reply: FastifyReply): Browser;
}

const admittedAs = Symbol('admitted as');

/** A request, and who was admitted with it. */
interface AdmittedRequest extends IncomingMessage {
  [admittedAs]?: AdminPrincipal;
}

/** The header that carries the session's own value back, which a page of another site cannot know. */
export const csrfHeader = 'x-handrail-csrf';

/** Makes the gate. */
export function createGate({
  admins,
  config,
  refusals,
  now,
  catchUp,
}: Pick<AppContext, 'admins' | 'config' | 'refusals' | 'now' | 'catchUp'>): Gate {
  const allowed = parseAddressList(config.adminAllow);
  const cookies = createCookies(config);
  const connecting = createConnectingBrowser(config);

  const proofOf = (request: FastifyRequest): AdminProof => ({
    authorization: request.headers.authorization,
    sessionToken: cookies.read(request, sessionCookie),
  });

  async function authenticated(request: FastifyRequest): Promise<AdminPrincipal> {
    try {
      return await admins.authenticate(proofOf(request));
    } catch (error) {
      if (error instanceof HandrailError && error.code === 'unauthenticated') refusals.refuse(request.ip);
      throw error;
    }
  }

  return {
    async admit(request, access) {
      if (config.adminAllow.length > 0 && !allowed.has(request.ip))
        throw new HandrailError(
          'forbidden',
          'The admin surface is not open to your address. Whoever runs this gateway can add it to HANDRAIL_ADMIN_ALLOW.',
        );
      await catchUp();
      if (access === 'public') return;
      const principal = await authenticated(request);
      if (principal.via === 'session') requireOwnPage(request, principal);
      if (!roleAllows(principal.role, access)) {
        throw new HandrailError(
          'forbidden',
          `This needs the role "${access}"; yours is "${principal.role}". An owner can change it.`,
        );
      }
      const raw: AdmittedRequest = request.raw;
      raw[admittedAs] = principal;
    },

    admitted(request) {
      const raw: AdmittedRequest = request.raw;
      return raw[admittedAs] ?? null;
    },

    watch: (request, onEnded) => admins.watch(proofOf(request), onEnded),

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

// A browser adds the cookie by itself, so a request that carries it must prove that our own page made it.
function requireOwnPage(request: FastifyRequest, principal: AdminPrincipal): void {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw new HandrailError('forbidden', 'Only pages of this gateway may use a session.');
  }
  if (request.method === 'GET' || request.method === 'HEAD') return;
  const { origin, host } = request.headers;
  if (origin !== undefined && hostOf(origin) !== host?.toLowerCase()) {
    throw new HandrailError('forbidden', 'Only pages of this gateway may use a session.');
  }
  const sent = request.headers[csrfHeader];
  if (typeof sent !== 'string' || !sameHash(sent, principal.csrf)) {
    throw new HandrailError(
      'forbidden',
      'The request lacks the header X-Handrail-Csrf of this session; GET /api/v1/session tells its value.',
    );
  }
}

function hostOf(origin: string): string | undefined {
  try {
    return new URL(origin).host;
  } catch {
    return undefined;
  }
}
