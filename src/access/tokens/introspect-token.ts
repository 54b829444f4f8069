import { accessErrors } from '../../domain/error-messages/access.ts';
import type { HandrailError } from '../../domain/errors.ts';
import type { PlainObject } from '../../lib/json/plain-object.ts';
import type { FetchGuarded } from '../../upstream/fetch-guarded.ts';
import { fetchIssuerMetadata, jsonObject } from './issuer-metadata.ts';
import { hashSecret } from '../secrets.ts';
import type { OAuthPolicy } from '../../domain/server.ts';
import { type ClientSecretOf, tokenNeededError, type TokenAudience } from './token-audience.ts';
import { callerOfToken, type VerifyToken } from './token-caller.ts';

const keepEndpointMs = 10 * 60_000;
// A revoked token stays revoked, but a token may become valid shortly after it was first sent.
const keepRefusalMs = 30_000;
const maxRefusals = 5_000;
// While the issuer is unreachable or rejects our client, callers must not make us ask again and again.
const failureMs = 10_000;
// Only the issuer can tell junk from tokens; this limits how much of it we send at a time.
const maxConcurrent = 32;
const clockToleranceMs = 30_000;

interface Refusal {
  readonly policy: OAuthPolicy;
  readonly why: string;
  readonly untilMs: number;
}

/**
 * Asks a token's issuer about it (RFC 7662), through the egress guard. Accepted tokens are cached by the caller of this
 * function; rejections are cached here for half a minute, and concurrent requests with one token share one question.
 */
export function createIntrospectToken(
  fetch: FetchGuarded,
  clientSecretOf: ClientSecretOf,
  now: () => number,
): VerifyToken {
  const endpoints = new Map<string, { readonly url: string; readonly untilMs: number }>();
  /** By URL. A policy that was edited since then is tried again. */
  const failures = new Map<
    string,
    { readonly policy: OAuthPolicy; readonly error: unknown; readonly untilMs: number }
  >();
  const asking = new Map<string, Promise<PlainObject>>();
  const running = new Map<string, number>();
  const refusals = new Map<string, Refusal>();

  async function endpointOf({ issuer, introspection }: OAuthPolicy): Promise<string> {
    if (introspection?.url !== undefined) return introspection.url;
    const known = endpoints.get(issuer);
    if (known !== undefined && known.untilMs > now()) return known.url;
    const { introspection_endpoint: url } = await fetchIssuerMetadata(fetch, issuer, introspectionError);
    if (typeof url !== 'string' || !URL.canParse(url))
      throw introspectionError(issuer, 'its metadata has no introspection_endpoint; set introspection.url');
    endpoints.set(issuer, { url, untilMs: now() + keepEndpointMs });
    return url;
  }

  async function ask(token: string, policy: OAuthPolicy): Promise<PlainObject> {
    const { issuer } = policy;
    const reply = await fetch({
      ...request(token, policy, await clientSecretOf(policy)),
      url: await endpointOf(policy),
      timeoutMs: 10_000,
      maxReplyBytes: 256 * 1024,
    });
    if (reply.status === 401 || reply.status === 403)
      throw introspectionError(issuer, 'it rejects the client credentials of this gateway');
    const claims = reply.status === 200 ? jsonObject(reply.body) : null;
    if (claims === null)
      throw introspectionError(issuer, `it responded with HTTP ${reply.status} and without a JSON object`);
    return claims;
  }

  /** Asks within the limit for one issuer, and not while it is known to be unreachable. */
  async function askWithin(token: string, policy: OAuthPolicy): Promise<PlainObject> {
    const place = policy.introspection?.url ?? policy.issuer;
    const failure = failures.get(place);
    if (failure?.policy === policy && failure.untilMs > now()) throw failure.error;
    const count = running.get(place) ?? 0;
    if (count >= maxConcurrent) throw accessErrors.tooManyNewTokens({ retryAfterMs: 1_000 });
    running.set(place, count + 1);
    try {
      const claims = await ask(token, policy);
      failures.delete(place);
      return claims;
    } catch (error) {
      failures.set(place, { policy, error, untilMs: now() + failureMs });
      throw error;
    } finally {
      const left = (running.get(place) ?? 1) - 1;
      if (left === 0) running.delete(place);
      else running.set(place, left);
    }
  }

  async function askOnce(key: string, token: string, policy: OAuthPolicy): Promise<PlainObject> {
    let question = asking.get(key);
    if (question === undefined) {
      question = askWithin(token, policy).finally(() => asking.delete(key));
      asking.set(key, question);
    }
    return question;
  }

  return async (token, audience) => {
    const { policy } = audience;
    const key = `${hashSecret(token)} ${audience.metadataUrl}`;
    const known = refusals.get(key);
    if (known !== undefined && known.policy === policy && known.untilMs > now())
      throw tokenNeededError(audience, known.why);
    const claims = await askOnce(key, token, policy);
    const why = whyRefused(claims, audience, now());
    if (why !== null) {
      if (refusals.size >= maxRefusals) refusals.delete(refusals.keys().next().value!);
      refusals.set(key, { policy, why, untilMs: now() + keepRefusalMs });
      throw tokenNeededError(audience, why);
    }
    const caller = callerOfToken(audience, claims, String(claims['sub'] ?? claims['client_id']));
    return { caller, expiresAtMs: typeof claims['exp'] === 'number' ? claims['exp'] * 1000 : Infinity };
  };
}

function request(token: string, { introspection }: OAuthPolicy, clientSecret: string) {
  const clientId = introspection?.clientId ?? '';
  const form = new URLSearchParams({ token, token_type_hint: 'access_token' });
  const headers: Record<string, string> = { accept: 'application/json' };
  if (introspection?.clientAuth === 'client_secret_post') {
    form.set('client_id', clientId);
    form.set('client_secret', clientSecret);
  } else {
    const pair = `${formEncoded(clientId)}:${formEncoded(clientSecret)}`;
    headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`;
  }
  return {
    method: 'POST',
    headers,
    body: { contentType: 'application/x-www-form-urlencoded', content: form.toString() },
  };
}

// Form-encoded before Base64 (RFC 6749 section 2.3.1).
function formEncoded(text: string): string {
  return new URLSearchParams({ a: text }).toString().slice(2);
}

function whyRefused(claims: PlainObject, { policy, resources }: TokenAudience, nowMs: number): string | null {
  const { active, iss, aud, exp, nbf, token_type: type, sub, client_id: client } = claims;
  if (active !== true) return 'its issuer does not know it or has revoked it';
  if (iss !== undefined && iss !== policy.issuer) return 'it is from another issuer';
  if (typeof type === 'string' && !/^(?:bearer|access_token)$/i.test(type)) return 'it is not a bearer token';
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (!audiences.some((one) => typeof one === 'string' && resources.includes(one)))
    return aud === undefined
      ? 'its issuer does not say which server it was made for'
      : 'it was made for another server';
  if (typeof exp === 'number' && exp * 1000 + clockToleranceMs < nowMs) return 'it has expired';
  if (typeof nbf === 'number' && nbf * 1000 - clockToleranceMs > nowMs) return 'it is not valid yet';
  if (typeof (sub ?? client) !== 'string' || (sub ?? client) === '')
    return 'its issuer does not say whose it is';
  return null;
}

function introspectionError(issuer: string, why: string): HandrailError {
  return accessErrors.introspectionFailed({ issuer, why });
}
