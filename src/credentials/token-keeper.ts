import { HandrailError } from '../domain/errors.ts';

/** A token that was fetched for a credential. */
export interface Token {
  readonly value: string;
  /** Null if the lifetime is unknown: then it is used until it is rejected. */
  readonly expiresAtMs: number | null;
  readonly obtainedAtMs: number;
}

/** Fetches a token; `refused` is the last value that the upstream rejected, if any. */
export type Obtain = (refused: string | null) => Promise<Token>;

interface TokenState {
  token: Token | null;
  refused: string | null;
  pending: Promise<Token> | null;
  failure: { readonly error: HandrailError; readonly untilMs: number } | null;
}

// Repeated attempts with a wrong password lock accounts, so a failure is remembered for a while.
const failureMs = 10_000;
const maxSkewMs = 30_000;

/** Keeps one token per credential and fetches it once for all waiting calls. */
export class TokenKeeper {
  readonly #states = new Map<string, TokenState>();
  readonly #now: () => number;
  /** Increases with every new token, so that values derived from the tokens can be cached. */
  version = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The token of this credential if a fresh one is cached. `key` names the credential and its revision. */
  fresh(key: string): Token | null {
    const token = this.#states.get(key)?.token ?? null;
    return token !== null && isFresh(token, this.#now()) ? token : null;
  }

  /** The token of this credential, fetched unless cached. */
  async get(key: string, obtain: Obtain): Promise<Token> {
    const fresh = this.fresh(key);
    if (fresh !== null) return fresh;
    let held = this.#states.get(key);
    if (held === undefined)
      this.#states.set(key, (held = { token: null, refused: null, pending: null, failure: null }));
    if (held.failure !== null && this.#now() < held.failure.untilMs) throw held.failure.error;
    return (held.pending ??= this.#fetch(held, obtain));
  }

  /** Replaces a token that is still valid with a newer one. */
  replace(key: string, token: Token): void {
    const held = this.#states.get(key);
    if (held === undefined || held.token === null) return;
    held.token = token;
    this.version++;
  }

  /** Drops a token that was rejected, unless a newer one has already replaced it. */
  reject(key: string, token: Token): void {
    const held = this.#states.get(key);
    if (held?.token === token) {
      held.token = null;
      held.refused = token.value;
    }
  }

  /** The values of all cached tokens. */
  values(): readonly string[] {
    return [...this.#states.values()].flatMap(({ token }) => (token === null ? [] : [token.value]));
  }

  /** Makes room for one more, so that at most `max` are kept; the oldest go first. */
  keepNewest(max: number): void {
    for (const [key, { pending }] of this.#states) {
      if (this.#states.size < max) break;
      if (pending === null) this.#states.delete(key);
    }
  }

  /** Drops the state of credentials that are gone. */
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

/** Whether a token is close enough to its expiry to be renewed early. */
export function isAging(token: Token, nowMs: number): boolean {
  if (token.expiresAtMs === null) return false;
  return nowMs > token.expiresAtMs - (token.expiresAtMs - token.obtainedAtMs) / 4;
}

/** Whether a token can be used for a call: it is renewed shortly before it expires, so that it does not expire in transit. */
export function isFresh(token: Token, nowMs: number): boolean {
  if (token.expiresAtMs === null) return true;
  const skewMs = Math.min(maxSkewMs, (token.expiresAtMs - token.obtainedAtMs) / 10);
  return nowMs < token.expiresAtMs - skewMs;
}
