import type { Caller } from '../domain/call.ts';
import type { FetchGuarded } from '../upstream/fetch-guarded.ts';
import { hashSecret } from './secrets.ts';
import type { OAuthPolicy, TokenAudience } from './token-audience.ts';
import type { VerifyToken } from './verify-token.ts';

/** Checks access tokens of external issuers. */
export interface TokenCheck {
  /** The caller behind a token that was checked not long ago; undefined when it has to be checked. */
  remembered(token: string, audience: TokenAudience): Caller | undefined;
  /** Checks a token with its issuer; rejects when it lets nobody in. */
  check(token: string, audience: TokenAudience): Promise<Caller>;
}

interface CachedCheck {
  readonly caller: Caller;
  readonly policy: OAuthPolicy;
  readonly untilMs: number;
}

const keepTokenMs = 60_000;
const mostTokens = 5_000;

/** Makes the check of one gateway. */
export function createTokenCheck(fetch: FetchGuarded, now: () => number): TokenCheck {
  const checked = new Map<string, CachedCheck>();
  let loading: Promise<VerifyToken> | null = null;

  // Loaded with the first token: most gateways have no server that asks for one.
  async function load(): Promise<VerifyToken> {
    const { createVerifyToken } = await import('./verify-token.ts');
    return createVerifyToken(fetch, now);
  }

  function keep(token: string, { policy, resources }: TokenAudience, caller: Caller, untilMs: number): void {
    if (checked.size >= mostTokens) checked.delete(checked.keys().next().value!);
    checked.set(cacheKey(token, resources), { caller, policy, untilMs });
  }

  return {
    remembered(token, audience) {
      const known = checked.get(cacheKey(token, audience.resources));
      // A policy that was edited meanwhile is another object.
      return known !== undefined && known.policy === audience.policy && known.untilMs > now()
        ? known.caller
        : undefined;
    },
    async check(token, audience) {
      const verifyToken = await (loading ??= load());
      const { caller, expiresAtMs } = await verifyToken(token, audience);
      keep(token, audience, caller, Math.min(now() + keepTokenMs, expiresAtMs));
      return caller;
    },
  };
}

function cacheKey(token: string, resources: readonly string[]): string {
  return `${hashSecret(token)} ${resources[0]}`;
}
