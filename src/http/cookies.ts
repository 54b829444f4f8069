import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config/settings.ts';

/** The name of the session cookie of admins. */
export const sessionCookie = 'handrail';

export interface OwnCookie {
  readonly name: string;
  readonly value: string;
  readonly maxAgeS: number;
  readonly sameSite: 'Strict' | 'Lax';
}

/** Reads and sets Handrail's cookies. All are HttpOnly, and Secure when the browser uses https. */
export function createCookies({ publicUrl }: Pick<Config, 'publicUrl'>) {
  const isSecure = (request: FastifyRequest): boolean =>
    request.protocol === 'https' || (publicUrl?.startsWith('https:') ?? false);
  // The prefix makes browsers refuse the cookie unless it is Secure, for the whole host and from the host itself.
  const nameFor = (request: FastifyRequest, name: string): string =>
    isSecure(request) ? `__Host-${name}` : name;
  return {
    read: (request: FastifyRequest, name: string): string | undefined =>
      find(request.headers.cookie, nameFor(request, name)),
    set(request: FastifyRequest, reply: FastifyReply, { name, value, maxAgeS, sameSite }: OwnCookie): void {
      const parts = [
        `${nameFor(request, name)}=${value}`,
        'Path=/',
        'HttpOnly',
        `SameSite=${sameSite}`,
        `Max-Age=${maxAgeS}`,
      ];
      if (isSecure(request)) parts.push('Secure');
      reply.header('set-cookie', parts.join('; '));
    },
  };
}

function find(header: string | undefined, name: string): string | undefined {
  for (const part of header?.split(';') ?? []) {
    const equals = part.indexOf('=');
    if (equals > 0 && part.slice(0, equals).trim() === name)
      return part.slice(equals + 1).trim() || undefined;
  }
  return undefined;
}
