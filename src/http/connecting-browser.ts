import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createCookies } from './cookies.ts';
import type { Config } from '../config/settings.ts';

const name = 'handrail-connect';
const maxAgeS = 600;

/** Recognizes the browser in which someone started connecting an API, by a cookie that only this browser was given. */
export function createConnectingBrowser(config: Pick<Config, 'publicUrl'>) {
  const cookies = createCookies(config);
  const known = (request: FastifyRequest): string | null => {
    const value = cookies.read(request, name);
    return value !== undefined && /^[\w-]{43}$/.test(value) ? value : null;
  };
  const mark = (request: FastifyRequest, reply: FastifyReply, value: string): void =>
    // The browser returns from another site by a link, and with `Strict` it would not send the cookie.
    cookies.set(request, reply, { name, value, maxAgeS, sameSite: 'Lax' });
  return {
    known,
    mark,
    /** The browser's value; sets one if it has none. */
    markOf(request: FastifyRequest, reply: FastifyReply): string {
      const value = known(request) ?? randomBytes(32).toString('base64url');
      mark(request, reply, value);
      return value;
    },
  };
}
