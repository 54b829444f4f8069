import { HandrailError } from '../domain/errors.ts';

/** A token that was fetched for a credential. */
export interface Token {
  readonly value: string;
  /** Null when nobody said how long it lives: it is used until it is refused. */
  readonly expiresAtMs: number | null;
  readonly obtainedAtMs: number;
}

/** Fetches a token; `refused` is the value that the upstream would not take, when there was one. */
export type Obtain = (refused: string | null) => Promise<Token>;

interface TokenState {
  token: Token | null;
  refused: string | null;
  pending: Promise<Token> | null;
  failure: { readonly error: HandrailError; readonly untilMs: number } | null;
}

// A wrong password asked about again and again locks accounts; the same answer is good for a while.
const failureMs = 10_000;
const maxSkewMs = 30_000;

/** Keeps one token for each credential and fetches it once for all who wait. */
export class TokenKeeper {
  readonly #states = new Map<string, TokenState>();
  readonly #now: () => number;
  /** Grows with every new token, so that what is derived from the tokens can be cached between two. */
  version = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The token of this credential when it is at hand. `key` names the credential and its revision. */
  fresh(key: string): Token | null {
    const token = this.#states.get(key)?.token ?? null;
    return token !== null && isFresh(token, this.#now()) ? token : null;
  }

  /** The token of this credential, fetched unless it is at hand. Never throws: a failure is the promise's. */
  async get(key: string, obtain: Obtain): Promise<Token> {
    const fresh = this.fresh(key);
    if (fresh !== null) return fresh;
    let held = this.#states.get(key);
    if (held === undefined)
      this.#states.set(key, (held = { token: null, refused: null, pending: null, failure: null }));
    if (held.failure !== null && this.#now() < held.failure.untilMs) throw held.failure.error;
    return (held.pending ??= this.#fetch(held, obtain));
  }

  /** Puts a newer token in the place of one that is still good. */
  replace(key: string, token: Token): void {
    const held = this.#states.get(key);
    if (held === undefined || held.token === null) return;
    held.token = token;
    this.version++;
  }

  /** Forgets a token that was refused, unless a newer one has taken its place already. */
  reject(key: string, token: Token): void {
    const held = this.#states.get(key);
    if (held?.token === token) {
      held.token = null;
      held.refused = token.value;
    }
  }

  /** The values of all tokens at hand. */
  values(): readonly string[] {
    return [...this.#states.values()].flatMap(({ token }) => (token === null ? [] : [token.value]));
  }

  /** Forgets everything about credentials that are gone. */
  keepOnly(isKnown: (key: string) => boolean): void {
    for (const key of this.#states.keys()) if (!isKnown(key)) this.#states.delete(key);
  }

  async #fetch(held: TokenState, obtain: Obtain): Promise<Token> {
    try {
      const token = await obtain(held.refused);
      held.token = token;
      this.version++;
      held.failure = null;
      return token;
    } catch (error) {
      if (
        error instanceof HandrailError &&
        error.code === 'login_failed' &&
        (error.details.upstreamStatus ?? 500) < 500
      ) {
        held.failure = { error, untilMs: this.#now() + failureMs };
      }
      throw error;
    } finally {
      held.pending = null;
    }
  }
}

/** Whether a token has so little of its time left that looking for the next one should begin. */
export function isAging(token: Token, nowMs: number): boolean {
  if (token.expiresAtMs === null) return false;
  return nowMs > token.expiresAtMs - (token.expiresAtMs - token.obtainedAtMs) / 4;
}

/** Whether a token is good for a call: it is renewed a little before its end, so that it does not run out on the way. */
export function isFresh(token: Token, nowMs: number): boolean {
  if (token.expiresAtMs === null) return true;
  const skewMs = Math.min(maxSkewMs, (token.expiresAtMs - token.obtainedAtMs) / 10);
  return nowMs < token.expiresAtMs - skewMs;
}
