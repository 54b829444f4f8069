import type { Caller } from '../../domain/call.ts';
import type { FetchGuarded } from '../../upstream/fetch-guarded.ts';
import { hashSecret } from '../secrets.ts';
import type { OAuthPolicy } from '../../domain/server.ts';
import type { ClientSecretOf, TokenAudience } from './token-audience.ts';
import type { VerifyToken } from './token-caller.ts';

/** Checks access tokens of external issuers. */
export interface TokenCheck {
  /** The caller of a recently checked token; undefined if it has to be checked. */
  remembered(token: string, audience: TokenAudience): Caller | undefined;
  /** Checks a token with its issuer; rejects if it is not accepted. */
  check(token: string, audience: TokenAudience): Promise<Caller>;
}

interface CachedCheck {
  readonly caller: Caller;
  readonly policy: OAuthPolicy;
  readonly untilMs: number;
}

const keepTokenMs = 60_000;
const maxTokens = 5_000;

/** Creates the check of one gateway. */
export function createTokenCheck(
  fetch: FetchGuarded,
  clientSecretOf: ClientSecretOf,
  now: () => number,
): TokenCheck {
  const checked = new Map<string, CachedCheck>();
  let verify: Promise<VerifyToken> | null = null;
  let introspect: Promise<VerifyToken> | null = null;

  // Loaded with the first token: most gateways have no server that needs one.
  async function loadVerify(): Promise<VerifyToken> {
    const { createVerifyToken } = await import('./verify-token.ts');
    return createVerifyToken(fetch, now);
  }
  async function loadIntrospect(): Promise<VerifyToken> {
    const { createIntrospectToken } = await import('./introspect-token.ts');
    return createIntrospectToken(fetch, clientSecretOf, now);
  }

  function keep(token: string, audience: TokenAudience, caller: Caller, untilMs: number): void {
    if (checked.size >= maxTokens) checked.delete(checked.keys().next().value!);
    checked.set(cacheKey(token, audience), { caller, policy: audience.policy, untilMs });
  }

  return {
    remembered(token, audience) {
      const known = checked.get(cacheKey(token, audience));
      // A policy that was edited in the meantime is a different object.
      return known !== undefined && known.policy === audience.policy && known.untilMs > now()
        ? known.caller
        : undefined;
    },
    async check(token, audience) {
      const { introspection } = audience.policy;
      const find = await (introspection === undefined
        ? (verify ??= loadVerify())
        : (introspect ??= loadIntrospect()));
      const { caller, expiresAtMs } = await find(token, audience);
      keep(token, audience, caller, Math.min(now() + keepTokenMs, expiresAtMs));
      return caller;
    },
  };
}

function cacheKey(token: string, { metadataUrl }: TokenAudience): string {
  return `${hashSecret(token)} ${metadataUrl}`;
}
