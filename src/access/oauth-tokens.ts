import type { Caller } from '../domain/call.ts';
import type { FetchGuarded } from '../upstream/fetch-guarded.ts';
import { hashSecret } from './secrets.ts';
import type { OAuthPolicy, TokenAudience } from './token-audience.ts';
import type { VerifyToken } from './verify-token.ts';

/** Checks access tokens of external issuers; a token seen before is answered at once. */
export type CheckToken = (token: string, audience: TokenAudience) => Caller | Promise<Caller>;

interface CachedCheck {
  readonly caller: Caller;
  readonly policy: OAuthPolicy;
  readonly untilMs: number;
}

const keepTokenMs = 60_000;
const mostTokens = 5_000;

/** Makes the check of one gateway. */
export function createTokenCheck(fetch: FetchGuarded, now: () => number): CheckToken {
  const checked = new Map<string, CachedCheck>();
  let loading: Promise<VerifyToken> | null = null;

  // Loaded with the first token: most gateways have no server that asks for one.
  async function load(): Promise<VerifyToken> {
    const { createVerifyToken } = await import('./verify-token.ts');
    return createVerifyToken(fetch, now);
  }

  async function verify(token: string, audience: TokenAudience): Promise<Caller> {
    const verifyToken = await (loading ??= load());
    const { caller, expiresAtMs } = await verifyToken(token, audience);
    keep(token, audience, caller, Math.min(now() + keepTokenMs, expiresAtMs));
    return caller;
  }

  function keep(token: string, { policy, resources }: TokenAudience, caller: Caller, untilMs: number): void {
    if (checked.size >= mostTokens) checked.delete(checked.keys().next().value!);
    checked.set(cacheKey(token, resources), { caller, policy, untilMs });
  }

  return (token, audience) => {
    const known = checked.get(cacheKey(token, audience.resources));
    // A policy that was edited meanwhile is another object.
    if (known !== undefined && known.policy === audience.policy && known.untilMs > now()) return known.caller;
    return verify(token, audience);
  };
}

function cacheKey(token: string, resources: readonly string[]): string {
  return `${hashSecret(token)} ${resources[0]}`;
}
