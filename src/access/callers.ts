import type { AccessKey } from '../domain/access-key.ts';
import type { Principal } from '../domain/person.ts';
import type { Caller } from '../domain/call.ts';
import { accessErrors } from '../domain/error-messages/access.ts';
import type { HandrailError } from '../domain/errors.ts';
import { defaultServerSlug, type OAuthPolicy, type Server, type ServerPolicy } from '../domain/server.ts';
import type { Snapshot } from '../registry/snapshot.ts';
import type { PersonNow } from './people.ts';
import type { KeyUses } from './key-uses.ts';
import type { TokenCheck } from './tokens/oauth-tokens.ts';
import { hashSecret } from './secrets.ts';
import { kindScopes } from '../domain/connected-app.ts';
import { type Challenge, tokenNeededError, type TokenAudience } from './tokens/token-audience.ts';
import { WeakCache } from '../lib/weak-cache.ts';

/** The credentials of a request to a server. */
export interface CallerProof {
  readonly authorization?: string | undefined;
  /** A header by its lower-case name. */
  readonly header: (name: string) => string | undefined;
  /** A query parameter; only read if the server allows keys there. */
  readonly query: (name: string) => string | undefined;
  /** Whether the request went to the default server's short URL, `/mcp`. */
  readonly isShortUrl?: () => boolean;
}

/** Anyone, on an open server. */
export const anonymous: Caller = { id: 'anonymous', kind: 'anonymous', label: 'anonymous' };

/** The person at this machine's command line. */
export const localCaller: Caller = { id: 'local', kind: 'local', label: 'command line' };

/** Someone who tests a tool in the admin app. */
export function adminCaller({ id, name, role, via, groups }: Principal): Caller {
  return {
    id: `admin:${id}`,
    kind: 'admin',
    label: name,
    ...(via !== 'token' && { person: { id, role, groups } }),
  };
}

/** A person who uses a server with a grant of theirs. What the grant leaves out is added as `toolIds`. */
export function personCaller({ id, name, role, groups }: PersonNow): Caller {
  return { id: `person:${id}`, kind: 'person', label: name, person: { id, role, groups } };
}

/** Finds the callers of what people granted: access tokens of the built-in authorization server, and personal keys. */
export interface PersonTokens {
  /** The caller, if the token was checked before and nothing has ended it; undefined if it must be checked. */
  remembered(token: string, server: Server): Caller | undefined;
  /** Checks a token; rejects with what `refused` makes if it gives no access to this server. */
  check(token: string, server: Server, refused: (why: string) => HandrailError): Promise<Caller>;
}

/** Authenticates the caller of a server, for every surface. */
export interface Identify {
  /** Authenticates synchronously or throws; undefined for an OAuth token that must first be checked with its issuer. */
  identifySync(server: Server, proof: CallerProof): Caller | undefined;
  /** Authenticates, with a request to the issuer if needed; rejects if that fails. */
  identify(server: Server, proof: CallerProof): Promise<Caller>;
  /** Why a proof was rejected, for the operator only: the caller's error says less. */
  explain(server: Server, proof: CallerProof): RefusedProof;
}

/** A rejected caller, as far as it is known, and why it was rejected. */
export interface RefusedProof {
  readonly caller: Caller;
  /** Null if there were no credentials at all, which is how many clients start. */
  readonly why: string | null;
}

export interface IdentifyOptions {
  readonly snapshot: () => Snapshot;
  readonly tokens: TokenCheck;
  readonly granted: PersonTokens;
  readonly uses: Pick<KeyUses, 'note'>;
  readonly publicUrl: () => string;
  readonly now: () => number;
}

const maxHashes = 1_000;

/** A policy that needs no token. */
type KnownHere = Exclude<ServerPolicy, OAuthPolicy | { readonly kind: 'sign-in' }>;

/** Creates the authentication of one process. */
export function createIdentify({
  snapshot,
  tokens,
  granted,
  uses,
  publicUrl,
  now,
}: IdentifyOptions): Identify {
  // Clients send their key with every call, and hashing it each time costs more than all other checks of a call.
  const hashes = new Map<string, string>();

  function keyOf(secret: string): AccessKey | undefined {
    const remembered = hashes.get(secret);
    const hash = remembered ?? hashSecret(secret);
    const key = snapshot().keyByHash.get(hash);
    if (remembered === undefined && key !== undefined) {
      if (hashes.size >= maxHashes) hashes.clear();
      hashes.set(secret, hash);
    }
    return key;
  }

  function byKey(server: Server, secret: string): Caller {
    const nowMs = now();
    const key = keyOf(secret);
    if (key === undefined || !isUsable(key, nowMs)) {
      throw keyNeededError(server.policy);
    }
    if (key.serverIds !== undefined && !key.serverIds.includes(server.id)) {
      throw accessErrors.keyNotForServer();
    }
    uses.note(key.id, nowMs);
    return callerOf(key);
  }

  function tokenOf(server: Server, policy: OAuthPolicy, proof: CallerProof) {
    const audience = audienceOf(server, policy, publicUrl(), proof.isShortUrl?.());
    const token = bearer(proof.authorization);
    if (token === undefined) throw tokenNeededError(audience);
    return { token, audience };
  }

  function withoutToken(server: Server, policy: KnownHere, proof: CallerProof): Caller {
    switch (policy.kind) {
      case 'open':
        return anonymous;
      case 'key': {
        const secret = keyIn(policy, proof);
        if (secret !== undefined) return byKey(server, secret);
        throw keyNeededError(policy);
      }
      case 'basic': {
        const secret = basicPassword(proof.authorization);
        if (secret !== undefined) return byKey(server, secret);
        throw keyNeededError(policy);
      }
    }
  }

  const challengeFor = (server: Server, proof: CallerProof): Challenge =>
    signInChallenge(server, publicUrl(), proof.isShortUrl?.());

  /** What a server with sign-in was sent: a token, or the caller of a key. */
  function signedIn(server: Server, proof: CallerProof): string | Caller {
    const token = bearer(proof.authorization);
    if (token === undefined) throw tokenNeededError(challengeFor(server, proof));
    if (!token.startsWith(keyPrefix)) return token;
    const key = keyOf(token);
    if (key === undefined || !isUsable(key, now()))
      throw tokenNeededError(challengeFor(server, proof), 'it is unknown, expired or revoked');
    return byKey(server, token);
  }

  /** A personal key, where this server takes keys. */
  function personalKeyIn(server: Server, proof: CallerProof): string | undefined {
    const { policy } = server;
    const secret =
      policy.kind === 'key'
        ? keyIn(policy, proof)
        : policy.kind === 'basic'
          ? basicPassword(proof.authorization)
          : undefined;
    return secret?.startsWith(personalKeyPrefix) === true ? secret : undefined;
  }

  /** For a known key, the caller is its owner, so that an operator sees whose key it is. */
  function explainKey(server: Server, secret: string): RefusedProof {
    if (secret.startsWith(personalKeyPrefix))
      return { caller: anonymous, why: 'The personal key was rejected.' };
    const key = keyOf(secret);
    if (key === undefined) return { caller: anonymous, why: 'The access key is unknown.' };
    const why =
      key.revokedAtMs !== undefined
        ? 'was revoked'
        : isUsable(key, now())
          ? `does not give access to the server "${server.slug}"`
          : 'has expired';
    return { caller: callerOf(key), why: `The access key "${key.name}" ${why}.` };
  }

  return {
    explain(server, proof) {
      const { policy } = server;
      const secret =
        policy.kind === 'key'
          ? keyIn(policy, proof)
          : policy.kind === 'sign-in'
            ? bearerKey(proof.authorization)
            : policy.kind === 'basic'
              ? basicPassword(proof.authorization)
              : undefined;
      if (secret !== undefined) return explainKey(server, secret);
      const why =
        (policy.kind === 'oauth' || policy.kind === 'sign-in') && bearer(proof.authorization) !== undefined
          ? 'The access token was rejected.'
          : null;
      return { caller: anonymous, why };
    },
    identifySync(server, proof) {
      const { policy } = server;
      if (policy.kind === 'sign-in') {
        const sent = signedIn(server, proof);
        return typeof sent === 'string' ? granted.remembered(sent, server) : sent;
      }
      const own = personalKeyIn(server, proof);
      if (own !== undefined) return granted.remembered(own, server);
      if (policy.kind !== 'oauth') return withoutToken(server, policy, proof);
      const { token, audience } = tokenOf(server, policy, proof);
      return tokens.remembered(token, audience);
    },
    async identify(server, proof) {
      const { policy } = server;
      if (policy.kind === 'sign-in') {
        const sent = signedIn(server, proof);
        if (typeof sent !== 'string') return sent;
        return granted.check(sent, server, (why) => tokenNeededError(challengeFor(server, proof), why));
      }
      const own = personalKeyIn(server, proof);
      if (own !== undefined) return granted.check(own, server, () => keyNeededError(policy));
      if (policy.kind !== 'oauth') return withoutToken(server, policy, proof);
      const { token, audience } = tokenOf(server, policy, proof);
      return tokens.remembered(token, audience) ?? tokens.check(token, audience);
    },
  };
}

/** What the keys that people make for themselves begin with. */
export const personalKeyPrefix = 'hrp_';

/** What access keys begin with. */
export const keyPrefix = 'hrk_';

/** The resource identifier of a server (RFC 9728 section 1.2). The default server has a second, shorter one. */
export function resourceOf(server: Pick<Server, 'slug'>, publicUrl: string, isShortUrl = false): string {
  return isShortUrl ? `${publicUrl}/mcp` : `${publicUrl}/mcp/${server.slug}`;
}

/** What a token for this server must match. */
export function audienceOf(
  server: Server,
  policy: TokenAudience['policy'],
  publicUrl: string,
  isShortUrl?: boolean,
): TokenAudience {
  const resource = resourceOf(server, publicUrl);
  const addresses = server.slug === defaultServerSlug ? [resource, `${publicUrl}/mcp`] : [resource];
  return {
    policy,
    resources: policy.audience?.length ? policy.audience : addresses,
    metadataUrl: metadataUrlOf(server, publicUrl, isShortUrl),
  };
}

/** What a client needs to know to get a token for a server with sign-in. */
export function signInChallenge(server: Server, publicUrl: string, isShortUrl?: boolean): Challenge {
  return { policy: { scopes: kindScopes }, metadataUrl: metadataUrlOf(server, publicUrl, isShortUrl) };
}

// A client compares the resource in the metadata with the URL that it connects to, so each URL has its own.
function metadataUrlOf({ slug }: Server, publicUrl: string, isShortUrl = false): string {
  return `${publicUrl}/.well-known/oauth-protected-resource/mcp${isShortUrl ? '' : `/${slug}`}`;
}

function bearer(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : /^Bearer +(\S+)$/i.exec(authorization)?.[1];
}

function bearerKey(authorization: string | undefined): string | undefined {
  const token = bearer(authorization);
  return token?.startsWith(keyPrefix) ? token : undefined;
}

function basicPassword(authorization: string | undefined): string | undefined {
  const encoded =
    authorization === undefined ? undefined : /^Basic +([A-Za-z0-9+/=]+)$/i.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : text.slice(colon + 1);
}

type KeyPolicy = Extract<ServerPolicy, { readonly kind: 'key' }>;

function keyIn(policy: KeyPolicy, proof: CallerProof): string | undefined {
  return (
    bearer(proof.authorization) ??
    (policy.header === undefined ? undefined : proof.header(policy.header.toLowerCase())) ??
    (policy.allowQuery ? proof.query('key') : undefined)
  );
}

// The same message for a missing and a wrong key, revealing nothing about this server.
function keyNeededError(policy: ServerPolicy): HandrailError {
  const details = { challenge: challengeOf(policy) };
  return policy.kind === 'basic' ? accessErrors.basicNeeded(details) : accessErrors.keyNeeded(details);
}

function challengeOf(policy: ServerPolicy): string {
  return policy.kind === 'basic' ? 'Basic realm="handrail", charset="UTF-8"' : 'Bearer realm="handrail"';
}

/** The caller id of a key. It survives rotations, so that records, limits and a caller's own credentials stay together. */
export function callerIdOf(key: AccessKey): string {
  return `key:${key.subjectId ?? key.id}`;
}

/** Whether a key is neither revoked nor expired. */
export function isUsable(key: AccessKey, nowMs: number): boolean {
  return key.revokedAtMs === undefined && (key.expiresAtMs === undefined || key.expiresAtMs > nowMs);
}

const callers = new WeakCache<AccessKey, Caller>();

function callerOf(key: AccessKey): Caller {
  const known = callers.get(key);
  if (known !== undefined) return known;
  const caller: Caller = {
    id: callerIdOf(key),
    kind: 'key',
    label: key.name,
    ...(key.toolIds !== undefined && { toolIds: new Set(key.toolIds) }),
    ...(key.ratePerMinute !== undefined && { ratePerMinute: key.ratePerMinute }),
  };
  callers.set(key, caller);
  return caller;
}
