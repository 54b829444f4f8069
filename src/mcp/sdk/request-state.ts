import { createHmac, timingSafeEqual } from 'node:crypto';
import { arrayOr } from '../../lib/json/plain-object.ts';

/** How long a client has to return with the user's answer. */
const requestStateLifetimeMs = 10 * 60 * 1000;

const maxStateLength = 16 * 1024;

/** What a request state is bound to: it is valid only for the same caller repeating the same request. */
export interface StateBinding {
  readonly callerId: string;
  readonly serverId: string;
  readonly method: string;
  readonly name: string;
  readonly arguments: unknown;
}

/**
 * Writes and reads the `requestState` of an `input_required` result. It travels through the client, so it is signed,
 * bound to caller and arguments, and expires (https://modelcontextprotocol.io/specification/2026-07-28/server/tools).
 */
export function createRequestStates(key: Uint8Array, now: () => number) {
  const sign = (payload: string, binding: StateBinding) =>
    createHmac('sha256', key)
      .update('mcp-request-state\n')
      .update(
        JSON.stringify([
          binding.callerId,
          binding.serverId,
          binding.method,
          binding.name,
          binding.arguments ?? {},
        ]),
      )
      .update('\n')
      .update(payload)
      .digest();

  return {
    mint(value: unknown, binding: StateBinding): string {
      const payload = Buffer.from(JSON.stringify([now() + requestStateLifetimeMs, value])).toString(
        'base64url',
      );
      return `${payload}.${sign(payload, binding).toString('base64url')}`;
    },

    /** The value of the state; undefined if it isn't ours, isn't for this request, or has expired. */
    read(state: string, binding: StateBinding): { readonly value: unknown } | undefined {
      const dot = state.indexOf('.');
      if (dot <= 0 || state.length > maxStateLength) return undefined;
      const payload = state.slice(0, dot);
      const signature = Buffer.from(state.slice(dot + 1), 'base64url');
      const expected = sign(payload, binding);
      if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return undefined;
      // Base64 has several spellings of one signature; only the one we wrote is accepted.
      if (state.slice(dot + 1) !== expected.toString('base64url')) return undefined;
      const [expiresAtMs, value] = arrayOr(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')));
      return typeof expiresAtMs === 'number' && expiresAtMs > now() ? { value } : undefined;
    },
  };
}

export type RequestStates = ReturnType<typeof createRequestStates>;
