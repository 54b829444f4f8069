import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JSONWebKeySet,
  jwtVerify,
} from 'jose';
import { accessErrors } from '../../domain/error-messages/access.ts';
import { HandrailError } from '../../domain/errors.ts';
import type { FetchGuarded } from '../../upstream/fetch-guarded.ts';
import { fetchIssuerJson, fetchIssuerMetadata } from './issuer-metadata.ts';
import { tokenNeededError } from './token-audience.ts';
import { callerOfToken, type VerifyToken } from './token-caller.ts';
import { isObject } from '../../lib/json/plain-object.ts';

interface Issuer {
  readonly keys: ReturnType<typeof createLocalJWKSet>;
  readonly fetchedAtMs: number;
}

const keepKeysMs = 10 * 60_000;
const askAgainMs = 30_000;
// While an issuer is unreachable, callers must not make us request its keys again and again.
const failureMs = 10_000;
const staleKeysMs = 60 * 60_000;
const clockToleranceS = 30;
// Signatures only: a symmetric algorithm would make the issuer's public key a secret to forge with.
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

/** Verifies signed tokens. Keys are fetched through the egress guard and cached for ten minutes. */
export function createVerifyToken(fetch: FetchGuarded, now: () => number): VerifyToken {
  const issuers = new Map<string, Issuer>();
  const asking = new Map<string, Promise<Issuer>>();
  const failures = new Map<string, { readonly error: unknown; readonly untilMs: number }>();

  async function ask(issuer: string): Promise<Issuer> {
    try {
      const fresh = { keys: createLocalJWKSet(await fetchKeys(fetch, issuer)), fetchedAtMs: now() };
      issuers.set(issuer, fresh);
      failures.delete(issuer);
      return fresh;
    } catch (error) {
      failures.set(issuer, { error, untilMs: now() + failureMs });
      throw error;
    } finally {
      asking.delete(issuer);
    }
  }

  async function keysOf(issuer: string, notBeforeMs: number): Promise<Issuer> {
    const known = issuers.get(issuer);
    if (known !== undefined && known.fetchedAtMs >= notBeforeMs) return known;
    try {
      const failure = failures.get(issuer);
      if (failure !== undefined && failure.untilMs > now()) throw failure.error;
      let question = asking.get(issuer);
      if (question === undefined) asking.set(issuer, (question = ask(issuer)));
      return await question;
    } catch (error) {
      // While the issuer is unreachable, keys that were valid a while ago are still used.
      if (known !== undefined && known.fetchedAtMs > now() - staleKeysMs) return known;
      throw error;
    }
  }

  return async (token, audience) => {
    const { policy, resources } = audience;
    const options = {
      issuer: policy.issuer,
      audience: [...resources],
      algorithms,
      clockTolerance: clockToleranceS,
      requiredClaims: ['exp', 'sub'],
      currentDate: new Date(now()),
    };
    const junk = whyJunk(token, policy.issuer, now());
    if (junk !== null) throw tokenNeededError(audience, junk);
    let issuer = await keysOf(policy.issuer, now() - keepKeysMs);
    let payload;
    try {
      try {
        ({ payload } = await jwtVerify(token, issuer.keys, options));
      } catch (error) {
        // The issuer may have rotated its keys.
        if (!(error instanceof errors.JWKSNoMatchingKey) || now() - issuer.fetchedAtMs < askAgainMs)
          throw error;
        issuer = await keysOf(policy.issuer, now() - askAgainMs);
        ({ payload } = await jwtVerify(token, issuer.keys, options));
      }
    } catch (error) {
      if (error instanceof HandrailError) throw error;
      throw tokenNeededError(audience, reasonOf(error));
    }
    const { sub } = payload;
    if (typeof sub !== 'string' || sub === '') throw tokenNeededError(audience, 'it has no subject');
    const caller = callerOfToken(audience, payload, sub);
    return { caller, expiresAtMs: (payload.exp ?? 0) * 1000 };
  };
}

/** Why a token can be rejected without its issuer's keys, so that junk doesn't cause a request for them. */
function whyJunk(token: string, issuer: string, nowMs: number): string | null {
  const notSigned = 'it is not a token that the issuer signed';
  try {
    if (!algorithms.includes(decodeProtectedHeader(token).alg ?? '')) return notSigned;
    const { iss, exp, iat } = decodeJwt(token);
    if (iss !== issuer) return 'it is from another issuer';
    if (typeof exp === 'number' && (exp + clockToleranceS) * 1000 < nowMs) return 'it has expired';
    if (iat !== undefined && !(typeof iat === 'number' && (iat - clockToleranceS) * 1000 <= nowMs))
      return 'it was issued in the future';
    return null;
  } catch {
    return notSigned;
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'it has expired';
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'aud') return 'it was made for another server';
    if (error.claim === 'iss') return 'it is from another issuer';
    return `its claim ${error.claim} is missing or wrong`;
  }
  return 'it is not a token that the issuer signed';
}

async function fetchKeys(fetch: FetchGuarded, issuer: string): Promise<JSONWebKeySet> {
  const metadata = await fetchIssuerMetadata(fetch, issuer, keysUnavailableError);
  const place = metadata['jwks_uri'];
  const keys = typeof place === 'string' ? await fetchIssuerJson(fetch, place) : null;
  if (keys === null || !Array.isArray(keys['keys']))
    throw keysUnavailableError(issuer, 'its keys cannot be read');
  return { keys: keys['keys'].filter(isObject) };
}

function keysUnavailableError(issuer: string, why: string): HandrailError {
  return accessErrors.issuerKeysUnavailable({ issuer, why });
}
