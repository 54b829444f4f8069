import type { Api } from '../domain/api.ts';
import { exchangesTokens } from '../domain/auth-scheme.ts';
import type { Credential } from '../domain/credential.ts';
import { toHandrailError } from '../domain/errors.ts';
import { maskTextFor } from '../lib/secrets/mask-secrets.ts';
import { sign } from '../pipeline/request/sign.ts';
import type { OpenCredential } from '../pipeline/request/signed-request.ts';
import type { FetchGuarded } from '../upstream/fetch-guarded.ts';
import { sendProbe } from '../upstream/probe.ts';
import { trimEndOf } from '../lib/text/tidy-text.ts';

/** The result of testing a credential, described for its operator. */
export interface CredentialTest {
  /** Null if the result is inconclusive. */
  readonly ok: boolean | null;
  readonly message: string;
  readonly status?: number;
}

/**
 * Tests a credential: opens it, signs in if the scheme requires it, and requests the API's probe path (or its base URL)
 * with it. Never rejects; the message says what was found and what to do.
 */
export async function testCredential(
  open: (api: Api, credential: Credential) => Promise<OpenCredential>,
  fetch: FetchGuarded,
  api: Api,
  credential: Credential,
  path?: string,
): Promise<CredentialTest> {
  if (exchangesTokens(api.auth))
    return {
      ok: null,
      message: 'The token of each caller is exchanged, so only a call shows whether it works.',
    };
  let ready: OpenCredential;
  try {
    ready = await open(api, credential);
  } catch (error) {
    return { ok: false, message: toHandrailError(error).message };
  }
  const base = new URL(api.baseUrl);
  const asked = path ?? api.probe?.path ?? '';
  const target =
    `${trimEndOf(base.pathname, '/')}${asked === '' || asked.startsWith('/') ? asked : `/${asked}`}` || '/';
  const plan = {
    method: 'GET',
    origin: base.origin,
    target: target + base.search,
    headers: api.headers,
    body: null,
  };
  const shown = `${base.origin}${target}`;
  try {
    const reply = await sendProbe(fetch, sign(plan, ready), api.egressAllow);
    return { status: reply.status, ...verdict(reply.status, shown, ready) };
  } catch (error) {
    return { ok: false, message: maskTextFor(ready.secrets ?? [])(toHandrailError(error).message) };
  }
}

function verdict(
  status: number,
  shown: string,
  open: OpenCredential,
): Pick<CredentialTest, 'ok' | 'message'> {
  const signedIn = open.rejectedBy === undefined ? '' : 'Signing in worked. ';
  if (status === 401) {
    return {
      ok: false,
      message: `${signedIn}${shown} answered 401: it does not accept this credential. Check the value, where it is sent, and whether it has expired.`,
    };
  }
  if (status === 403) {
    return {
      ok: false,
      message: `${signedIn}${shown} answered 403: it knows this credential but does not allow this request. Check its permissions or scopes.`,
    };
  }
  if (status === 407)
    return { ok: false, message: `${shown} answered 407: a proxy in between requires authentication.` };
  if (status >= 200 && status < 300)
    return { ok: true, message: `${signedIn}${shown} answered ${status}: it works.` };
  if (status >= 300 && status < 400) {
    return {
      ok: null,
      message: `${signedIn}${shown} answered with a redirect (${status}). The base URL may be outdated; the credential was not sent to the new location.`,
    };
  }
  if (status === 404 || status === 405) {
    return {
      ok: null,
      message: `${signedIn}${shown} answered ${status}: the API was reached and did not reject the credential, but there is nothing to request at that path. To be sure, test with a path that needs the credential.`,
    };
  }
  if (status === 429)
    return {
      ok: null,
      message: `${signedIn}${shown} answered 429: too many requests right now. Try again later.`,
    };
  if (status >= 500)
    return {
      ok: null,
      message: `${signedIn}${shown} answered ${status}: the API itself has a problem. Try again later.`,
    };
  return {
    ok: null,
    message: `${signedIn}${shown} answered ${status}, which says nothing about the credential.`,
  };
}
