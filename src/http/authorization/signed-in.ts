import type { FastifyReply, FastifyRequest } from 'fastify';
import type { NewSession } from '../../access/sign-in.ts';
import { HandrailError } from '../../domain/errors.ts';
import type { AppContext } from '../app-context.ts';
import { createCookies, sessionCookie } from '../cookies.ts';

/** A person who is signed in to this gateway in this browser. */
export interface SignedInPerson {
  readonly id: string;
  readonly name: string;
  /** The value that a page must send with every change. */
  readonly csrf: string;
}

/** Recognizes and signs in people on pages outside of the admin app. */
export function createSignedIn({
  signIn,
  config,
  catchUp,
  now,
}: Pick<AppContext, 'signIn' | 'config' | 'catchUp' | 'now'>) {
  const cookies = createCookies(config);
  return {
    /** Null if no one is signed in. */
    async person(request: FastifyRequest): Promise<SignedInPerson | null> {
      const sessionToken = cookies.read(request, sessionCookie);
      if (sessionToken === undefined) return null;
      await catchUp();
      try {
        const { id, name, csrf } = await signIn.authenticate({ sessionToken });
        return { id, name, csrf };
      } catch (error) {
        if (error instanceof HandrailError && error.code === 'unauthenticated') return null;
        throw error;
      }
    },
    /** Keeps a session that was just opened in this browser. */
    keep(request: FastifyRequest, reply: FastifyReply, { token, principal }: NewSession): void {
      const endsAtMs = principal.session?.expiresAtMs ?? now();
      cookies.set(request, reply, {
        name: sessionCookie,
        value: token,
        maxAgeS: Math.max(0, Math.floor((endsAtMs - now()) / 1000)),
        sameSite: 'Strict',
      });
    },
  };
}
