import { hash, randomUUID } from 'node:crypto';
import type { Provider } from 'oidc-provider';
import { jsonObject } from '../access/tokens/issuer-metadata.ts';
import { isObject, type PlainObject } from '../lib/json/plain-object.ts';
import { oneLine } from '../lib/text/one-line.ts';
import type { GrantStore } from '../storage/ports.ts';

/** What a client that wants to register is answered (RFC 7591 section 3.2). */
export interface RegistrationReply {
  readonly status: number;
  readonly body: PlainObject;
  /** Whether it is a client that wasn't known before. */
  readonly isNew: boolean;
}

const dayMs = 86_400_000;
/** How long a registration lasts without a sign-in. */
const unusedMs = dayMs;
export const maxClients = 5_000;
const maxRedirects = 20;
const maxUriLength = 2_000;
export const maxClientName = 200;

/**
 * Registers a public client. The same name and redirect URIs get the same client id again, because a registration
 * proves nothing either way, and clients register each time they are set up.
 */
export async function registerClient(
  provider: Provider,
  grants: GrantStore,
  requested: unknown,
  nowMs: number,
): Promise<RegistrationReply> {
  const metadata = readMetadata(requested);
  if (typeof metadata === 'string') return invalid(metadata);
  const lookup = hash('sha256', JSON.stringify([metadata.client_name, metadata.redirect_uris.toSorted()]));
  const known = await grants.find('Client', lookup, nowMs);
  const stored = known && jsonObject(Buffer.from(known.doc));
  if (stored !== null) return { status: 201, body: stored, isNew: false };
  const client = {
    ...metadata,
    client_id: `client_${randomUUID()}`,
    client_id_issued_at: Math.floor(nowMs / 1000),
  };
  try {
    // Checks redirect URIs and everything else that the library relies on.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its types hide that a client can be checked
    await (provider.Client as unknown as ClientChecks).validate(client);
  } catch (error) {
    return invalid(describe(error));
  }
  await grants.removeEnded(nowMs, { kind: 'Client', max: maxClients - 1 });
  await grants.put({
    name: client.client_id,
    kind: 'Client',
    // So that its registration lasts for as long as it is used.
    grantId: client.client_id,
    lookup,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + unusedMs,
    doc: JSON.stringify(client),
  });
  return { status: 201, body: client, isNew: true };
}

interface ClientChecks {
  validate(metadata: object): Promise<void>;
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'The metadata is not acceptable.';
  return 'error_description' in error && typeof error.error_description === 'string'
    ? error.error_description
    : error.message;
}

function invalid(description: string): RegistrationReply {
  return {
    status: 400,
    body: { error: 'invalid_client_metadata', error_description: description },
    isNew: false,
  };
}

/** What is kept of the requested metadata; a text says what is wrong with it. */
function readMetadata(requested: unknown) {
  if (!isObject(requested)) return 'The body must be a JSON object.';
  const { redirect_uris: uris, client_name: name, grant_types: grantTypes } = requested;
  if (!Array.isArray(uris) || uris.length === 0) return 'redirect_uris must name at least one URI.';
  if (uris.length > maxRedirects) return `redirect_uris can name at most ${maxRedirects} URIs.`;
  const redirectUris: string[] = [];
  for (const uri of uris) {
    const fault = redirectFault(uri);
    if (fault !== null) return fault;
    redirectUris.push(String(uri));
  }
  if (name !== undefined && typeof name !== 'string') return 'client_name must be a text.';
  if (Array.isArray(grantTypes) && grantTypes.length > 0 && !grantTypes.includes('authorization_code'))
    return 'grant_types must include authorization_code: people sign in with a browser.';
  return {
    client_name: oneLine(name ?? '', maxClientName) || 'Unnamed app',
    redirect_uris: [...new Set(redirectUris)],
    // Named, because some clients never refresh otherwise.
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  };
}

/** Why a redirect URI is refused before the library sees it; null if it isn't. */
export function redirectFault(uri: unknown): string | null {
  if (typeof uri !== 'string' || uri.length > maxUriLength || !URL.canParse(uri))
    return 'redirect_uris must be URIs.';
  const { username, password } = new URL(uri);
  if (username !== '' || password !== '') return 'redirect_uris must not contain a user name or password.';
  if (/[^!-~]|[\\*]/.test(uri))
    return 'redirect_uris must be plain ASCII, without spaces, backslashes or wildcards.';
  if (handledElsewhere.test(uri))
    return 'redirect_uris must not use a scheme that the browser or the system handles itself.';
  return null;
}

// A code would go to whatever opens such an address, not to the app. The library refuses scripts, data and files.
const handledElsewhere =
  /^(?:urn|mailto|tel|sms|sip|callto|facetime|s?ftp|ssh|telnet|smb|afp|nfs|ldaps?|gopher|news|nntp|rtsp|mms|magnet|feed|webcal|geo|wss?|view-source|filesystem|jar|wyciwyg|res|mk|mshta|hcp|shell|chrome|edge|resource|intent|android-app|market|itms[a-z-]*|x-apple[a-z.-]*|search(?:-ms)?|ms-[a-z-]+):/i;
