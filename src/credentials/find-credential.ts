import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Api } from '../domain/api.ts';
import { type AuthScheme, exchangesTokens, type OAuth2Scheme } from '../domain/auth-scheme.ts';
import { secretFields } from '../domain/secret-fields.ts';
import type { Credential } from '../domain/credential.ts';
import { isAccount } from '../domain/account.ts';
import { askToAgree, unagreedOrigin } from '../domain/places/document-origins.ts';
import { credentialErrors } from '../domain/error-messages/credentials.ts';
import { HandrailError } from '../domain/errors.ts';
import type { Tool } from '../domain/tool.ts';
import { maskTextFor } from '../lib/secrets/mask-secrets.ts';
import type { Call } from '../pipeline/call.ts';
import type { Effects } from '../pipeline/run-call.ts';
import type { OpenCredential, Placement } from '../pipeline/request/signed-request.ts';
import type { Reply } from '../pipeline/reply/reply.ts';
import type { FetchGuarded } from '../upstream/fetch-guarded.ts';
import type { CallerIdentities, ShownIdentity } from './caller-identity.ts';
import { type Accounts, clientPart } from './accounts.ts';
import { forwardedHeaders } from './forward-headers.ts';
import { fieldsOf, openCredential, partsOf, secretValues } from './open-credential.ts';
import type { SecretReferences } from './resolve-references.ts';
import type { Renewals } from './renewals.ts';
import { keptToken, type OAuthClient } from './schemes/oauth2.ts';
import { isTokenRefused, needsToken, obtainToken, type TokenScheme } from './schemes/obtain-token.ts';
import type { KeyRing, SecretFields } from './seal.ts';
import { unseal } from './seal.ts';
import { isAging, type Token, TokenKeeper } from './token-keeper.ts';
import { WeakCache } from '../lib/weak-cache.ts';

/** What the finder needs from other modules. */
export interface CredentialSources {
  /** The credentials in the registry, by id; a new map whenever one changes. */
  readonly credentials: () => ReadonlyMap<string, Credential>;
  /** Whether a credential is stored for this caller (null: for all callers) but its row cannot be read. */
  readonly isUnread: (apiId: string, callerId: string | null) => boolean;
  /** The keys of models, which must not leak into calls either; the same list while none has changed. */
  readonly modelKeys?: () => readonly string[];
  readonly ring: KeyRing;
  readonly references: SecretReferences;
  readonly fetch: FetchGuarded;
  readonly oauth: OAuthClient;
  readonly now: () => number;
  /** For tokens from a person's sign-in; null if there are none. */
  readonly renewals: Renewals | null;
  /** People's own accounts; null if there are none. */
  readonly accounts: Accounts | null;
  /** What calls say about their callers; null if nothing. */
  readonly identities: CallerIdentities | null;
}

/** Finds, opens and renews credentials for calls. */
export interface CredentialFinder extends Pick<Effects, 'findCredential' | 'credentialRejected'> {
  /** Opens a credential for a request outside of a call (a test, a probe), with a fresh token if it needs one. */
  open(api: Api, credential: Credential): Promise<OpenCredential>;
  /** The credential that would be used for this caller, or null. */
  choose(api: Api, callerId: string): Credential | null;
  /** All secret values that are stored and readable, for scrubbing and masking. */
  allSecrets(): readonly string[];
}

interface CredentialIndex {
  readonly shared: ReadonlyMap<string, Credential>;
  /** By `api id` and `caller id`, joined by a line feed. */
  readonly own: ReadonlyMap<string, Credential>;
}

export function createCredentialFinder(sources: CredentialSources): CredentialFinder {
  const { now, ring } = sources;
  const keeper = new TokenKeeper(now);
  // Apart from the others: there can be one for each person, which are masked in calls of that person only.
  const accountKeeper = new TokenKeeper(now);
  // By caller and token. What is in it is masked in calls of that caller only.
  const exchangeKeeper = new TokenKeeper(now);
  let accountsSeen = 0;
  const keeperOf = (credential: Credential) => (isAccount(credential) ? accountKeeper : keeper);
  const fieldsHeld = new WeakCache<Credential, SecretFields>();
  const openedStatic = new WeakCache<
    Credential,
    { readonly scheme: AuthScheme; readonly fields: SecretFields; readonly open: OpenCredential }
  >();
  const openedByToken = new WeakCache<
    Token,
    { readonly scheme: AuthScheme; readonly open: OpenCredential }
  >();
  /** Keys of tokens that are being renewed early. */
  const renewing = new Set<string>();
  // Only distinguishes forwarded values within this process.
  const identityKey = randomBytes(32);
  let indexed: { readonly from: ReadonlyMap<string, Credential>; readonly index: CredentialIndex } | null =
    null;
  let secretsHeld: {
    readonly from: ReadonlyMap<string, Credential>;
    readonly version: number;
    readonly referenceVersion: number;
    readonly keys: readonly string[];
    readonly values: readonly string[];
  } | null = null;

  function index(): CredentialIndex {
    const from = sources.credentials();
    if (indexed?.from !== from) {
      indexed = { from, index: indexOf(from) };
      keeper.keepOnly((key) => {
        const [id, revision] = key.split(':', 2);
        return String(from.get(id!)?.revision) === revision;
      });
    }
    const generation = sources.accounts?.generation() ?? 0;
    if (accountsSeen !== generation) {
      accountsSeen = generation;
      accountKeeper.keepOnly((key) => sources.accounts?.current(key.split(':', 1)[0]!) !== undefined);
    }
    return indexed.index;
  }

  /** The fields with the secrets that references name. */
  function fields(credential: Credential): SecretFields {
    const stored = storedFields(credential);
    return credential.references === undefined ? stored : sources.references.resolve(stored);
  }

  function storedFields(credential: Credential): SecretFields {
    const unsaved = sources.renewals?.unsaved(credential.id, credential.revision);
    if (unsaved !== undefined) return unsaved;
    let held = fieldsHeld.get(credential);
    if (held === undefined) fieldsHeld.set(credential, (held = unseal(ring, credential, credential.sealed)));
    if (!isAccount(credential) || credential.kind !== 'oauth2') return held;
    const client = index().shared.get(credential.apiId);
    return client === undefined ? held : { ...clientPart(fields(client)), ...held };
  }

  function choose(api: Api, callerId: string): Credential | null {
    const { own, shared } = index();
    const mine = own.get(`${api.id}\n${callerId}`);
    if (mine !== undefined) return mine;
    // A caller whose own credential cannot be read must not fall back to the shared one.
    if (sources.isUnread(api.id, callerId)) throw credentialErrors.rowUnreadable({ slug: api.slug });
    if (api.sharedCredential === false || api.ownAccounts === true) return null;
    const forAll = shared.get(api.id);
    if (forAll === undefined && sources.isUnread(api.id, null))
      throw credentialErrors.rowUnreadable({ slug: api.slug });
    return forAll ?? null;
  }

  /** The newest fields of a credential: those in the registry, or those just renewed. */
  function newestFields(credential: Credential): SecretFields {
    const { id } = credential;
    return fields(sources.credentials().get(id) ?? sources.accounts?.current(id) ?? credential);
  }

  /** Requests a token. A token that may only be requested once is requested by the first process. */
  async function ask(
    { api, credential, part: [key, scheme] }: WantedToken,
    refused: string | null,
    isEnough: (kept: Token) => boolean = () => true,
  ): Promise<Token> {
    const by = { ...sources, egressAllow: api.egressAllow };
    const own = () => fieldsOf(newestFields(credential), key);
    try {
      if (sources.renewals === null || !isRenewed(scheme))
        return (await obtainToken(scheme, own(), refused, by)).token;
      return await sources.renewals.obtain({
        credentialId: credential.id,
        kept() {
          const kept = keptToken(own(), refused, now());
          return kept !== null && isEnough(kept) ? kept : null;
        },
        async renew() {
          const { token, changedFields } = await by.oauth.renew(scheme, own(), by.egressAllow);
          return {
            token,
            fields: changedFields && prefixed(newestFields(credential), key, changedFields),
          };
        },
      });
    } catch (error) {
      // An authorization server's error may quote what it was sent.
      throw masked(error, secretValues(own()));
    }
  }

  function obtain(wanted: WantedToken): Promise<Token> {
    const key = tokenKey(wanted.credential, wanted.part[0]);
    return keeperOf(wanted.credential).get(key, (refused) => ask(wanted, refused));
  }

  /** Renews a token while it is still valid, so that an unavailable store or server delays no call. */
  function renewEarly(wanted: WantedToken, token: Token): void {
    const key = tokenKey(wanted.credential, wanted.part[0]);
    if (sources.renewals === null || !isRenewed(wanted.part[1]) || renewing.has(key)) return;
    renewing.add(key);
    ask(wanted, null, (kept) => kept.value !== token.value)
      .then(
        (next) => keeperOf(wanted.credential).replace(key, next),
        // Calls try again, and report the error, once this token has expired.
        () => delay(earlyPauseMs, undefined, { ref: false }),
      )
      .finally(() => renewing.delete(key))
      .catch(() => {});
  }

  /** The opened credential; null if a token has to be fetched first. */
  function openCached(api: Api, credential: Credential): OpenCredential | null {
    const scheme = api.auth;
    const tokenParts = tokenPartsOf(scheme);
    if (tokenParts.length === 0) {
      const held = openedStatic.get(credential);
      // Nothing is looked up for a credential without references, which most are.
      if (held?.scheme === scheme && credential.references === undefined) return held.open;
      const values = fields(credential);
      if (held?.scheme === scheme && held.fields === values) return held.open;
      const open = openCredential(scheme, values, {}, identityOf(credential), now);
      openedStatic.set(credential, { scheme, fields: values, open });
      return open;
    }
    const tokens = keeperOf(credential);
    const ready = tokenParts.flatMap(([key]) => tokens.fresh(tokenKey(credential, key)) ?? []);
    if (ready.length !== tokenParts.length) return null;
    for (const [i, token] of ready.entries())
      if (isAging(token, now())) renewEarly({ api, credential, part: tokenParts[i]! }, token);
    return withTokens(api, credential, tokenParts, ready);
  }

  async function fetched(api: Api, credential: Credential): Promise<OpenCredential> {
    const tokenParts = tokenPartsOf(api.auth);
    // Promise.all: if one fails first, the failure of another must not become an unhandled rejection.
    const tokens = await Promise.all(tokenParts.map((part) => obtain({ api, credential, part })));
    return withTokens(api, credential, tokenParts, tokens);
  }

  /** The same; a person whose account's sign-in has ended connects it again. */
  async function opened(api: Api, credential: Credential, call: Call): Promise<OpenCredential> {
    try {
      return await fetched(api, credential);
    } catch (error) {
      if (isAccount(credential) && sources.accounts !== null && hasEnded(error, credential))
        throw sources.accounts.neededError(call, 'the sign-in of yours has ended');
      throw error;
    }
  }

  function withTokens(
    api: Api,
    credential: Credential,
    parts: readonly TokenPart[],
    tokens: readonly Token[],
  ): OpenCredential {
    const held = tokens.length === 1 ? openedByToken.get(tokens[0]!) : undefined;
    if (held?.scheme === api.auth) return held.open;
    const values = Object.fromEntries(parts.map(([key], i) => [key, tokens[i]!.value]));
    const open: OpenCredential = {
      ...openCredential(api.auth, fields(credential), values, identityOf(credential), now),
      rejectedBy: (reply: Reply) => parts.some(([, part]) => isTokenRefused(part, reply)),
      dropTokens: () =>
        parts.forEach(([key], i) => keeperOf(credential).reject(tokenKey(credential, key), tokens[i]!)),
    };
    if (tokens.length === 1) openedByToken.set(tokens[0]!, { scheme: api.auth, open });
    return open;
  }

  /** Exchanges the access token that the caller sent; only one that a foreign issuer issued. */
  async function exchanged(
    api: Api,
    scheme: OAuth2Scheme,
    credential: Credential,
    call: Call,
  ): Promise<OpenCredential> {
    const sent = call.caller.kind === 'oauth' ? bearerOf(call) : undefined;
    if (sent === undefined) throw credentialErrors.exchangeNeedsToken({ slug: api.slug }, { notSent: true });
    const own = fields(credential);
    const mark = createHmac('sha256', identityKey).update(sent).digest('base64url');
    const key = `${identityOf(credential)}:${call.caller.id}:${mark}`;
    exchangeKeeper.keepNewest(maxExchanged);
    const token = await exchangeKeeper.get(key, async (refused) => {
      try {
        return await sources.oauth.exchangeToken(scheme, own, api.egressAllow, sent, refused);
      } catch (error) {
        throw masked(error, [sent, ...secretValues(own)]);
      }
    });
    const identity = `${identityOf(credential)}:${call.caller.id}:${mark}`;
    return {
      ...openCredential(scheme, own, { '': token.value }, identity, now),
      rejectedBy: (reply: Reply) => isTokenRefused(scheme, reply),
      dropTokens: () => exchangeKeeper.reject(key, token),
    };
  }

  function withForwarded(open: OpenCredential | null, forwarded: readonly Placement[]): OpenCredential {
    const values = forwarded.map(({ name, value }) => `${name}:${value}`).join('\n');
    const mark = createHmac('sha256', identityKey).update(values).digest('base64url');
    return {
      ...open,
      // The stored credential takes precedence over a header of the same name.
      placements: [...forwarded, ...(open?.placements ?? [])],
      identity: `${open?.identity ?? ''}+${mark}`,
      secrets: [...(open?.secrets ?? []), ...forwarded.map(({ value }) => value)],
    };
  }

  /** The credential of a call, with the client's own headers that the API's operator listed. */
  async function findOwn(call: Call): Promise<OpenCredential | null> {
    const { api } = call.tool;
    const forwarded = forwardedHeaders(call);
    if (api.auth.kind === 'none') return forwarded.length === 0 ? null : withForwarded(null, forwarded);
    const chosen = choose(api, call.caller.id);
    const own = chosen === null && api.ownAccounts === true ? sources.accounts : null;
    const credential = chosen ?? (own === null ? null : await own.forCall(call));
    if (credential === null) {
      if (needsNoCredential(call)) return forwarded.length === 0 ? null : withForwarded(null, forwarded);
      throw own === null ? missingError(api, call.caller.id) : own.neededError(call);
    }
    // An account that doesn't fit isn't found.
    if (own === null) checkFits(api, credential, call.tool.request.origin, call.tool.tool);
    const { references }: Credential = own === null ? credential : (index().shared.get(api.id) ?? credential);
    if (references !== undefined) await sources.references.prepare(references);
    if (exchangesTokens(api.auth)) {
      const open = await withTimeout(exchanged(api, api.auth, credential, call), call);
      return forwarded.length === 0 ? open : withForwarded(open, forwarded);
    }
    const open = openCached(api, credential) ?? (await withTimeout(opened(api, credential, call), call));
    return forwarded.length === 0 ? open : withForwarded(open, forwarded);
  }

  function withIdentity(open: OpenCredential | null, shown: ShownIdentity): OpenCredential {
    const mark = createHmac('sha256', identityKey).update(shown.mark).digest('base64url');
    return {
      ...open,
      // No one else sets these headers, so they come last.
      placements: [...(open?.placements ?? []), ...shown.placements],
      identity: `${open?.identity ?? ''}+${mark}`,
      secrets: [...(open?.secrets ?? []), ...shown.secrets],
    };
  }

  return {
    async findCredential(call) {
      const open = await findOwn(call);
      if (call.tool.api.identity === undefined || sources.identities === null) return open;
      const shown = await sources.identities.of(call);
      return shown === null ? open : withIdentity(open, shown);
    },

    async credentialRejected(_call, open) {
      open.dropTokens?.();
      return open.dropTokens !== undefined;
    },

    async open(api, credential) {
      if (exchangesTokens(api.auth)) throw credentialErrors.exchangeNeedsToken({ slug: api.slug });
      checkFits(api, credential, new URL(api.baseUrl).origin);
      if (credential.references !== undefined) await sources.references.prepare(credential.references);
      return openCached(api, credential) ?? fetched(api, credential);
    },

    choose,

    allSecrets() {
      const from = sources.credentials();
      const { version } = keeper;
      const keys = sources.modelKeys?.() ?? noKeys;
      if (
        secretsHeld?.from !== from ||
        secretsHeld.version !== version ||
        secretsHeld.referenceVersion !== sources.references.version ||
        secretsHeld.keys !== keys
      ) {
        const stored = [...from.values()].flatMap((credential) => readableSecrets(credential, fields));
        const referenceVersion = sources.references.version;
        secretsHeld = {
          from,
          version,
          referenceVersion,
          keys,
          values: [...stored, ...keys, ...keeper.values()],
        };
      }
      return secretsHeld.values;
    },
  };
}

/** Whether a person has to connect an account again: the authorization server rejected it, or there is nothing to renew it with. */
function hasEnded(error: unknown, account: Credential): boolean {
  if (!(error instanceof HandrailError) || error.code !== 'login_failed') return false;
  const { upstreamStatus } = error.details;
  if (upstreamStatus !== undefined) return upstreamStatus === 400 || upstreamStatus === 401;
  return account.kind === 'oauth2' && !account.fields.includes('refreshToken');
}

const noKeys: readonly string[] = [];

const maxExchanged = 5_000;

/** The access token of a request, as its caller was identified by. */
function bearerOf({ clientHeaders }: Call): string | undefined {
  return /^Bearer +(\S+)$/i.exec(clientHeaders?.['authorization'] ?? '')?.[1];
}

// A server that rejects early renewal is not asked at every call.
const earlyPauseMs = 5_000;

/** A token that a call needs. */
interface WantedToken {
  readonly api: Api;
  readonly credential: Credential;
  readonly part: TokenPart;
}

/** Whether its token is renewed with a refresh token, which may change with every use. */
function isRenewed(scheme: TokenScheme): scheme is OAuth2Scheme {
  return scheme.kind === 'oauth2' && scheme.grant !== 'client_credentials' && !exchangesTokens(scheme);
}

/** A part of a scheme that needs a token, with its key within the credential's fields. */
type TokenPart = readonly [key: string, scheme: TokenScheme];

function tokenPartsOf(scheme: AuthScheme): readonly TokenPart[] {
  return partsOf(scheme).filter((part): part is TokenPart => needsToken(part[1]));
}

function readableSecrets(
  credential: Credential,
  fields: (credential: Credential) => SecretFields,
): readonly string[] {
  try {
    return secretValues(fields(credential));
  } catch {
    return [];
  }
}

function indexOf(credentials: ReadonlyMap<string, Credential>): CredentialIndex {
  const shared = new Map<string, Credential>();
  const own = new Map<string, Credential>();
  for (const credential of credentials.values()) {
    if (credential.callerId === undefined) shared.set(credential.apiId, credential);
    else own.set(`${credential.apiId}\n${credential.callerId}`, credential);
  }
  return { shared, own };
}

function masked(error: unknown, secrets: readonly string[]): unknown {
  if (!(error instanceof HandrailError)) return error;
  const message = maskTextFor(secrets)(error.message);
  return message === error.message ? error : new HandrailError(error.code, message, error.details);
}

function tokenKey(credential: Credential, part: string): string {
  return `${credential.id}:${credential.revision}:${part}`;
}

function identityOf(credential: Credential): string {
  return `${credential.id}:${credential.revision}`;
}

function prefixed(all: SecretFields, key: string, changed: SecretFields): SecretFields {
  if (key === '') return changed;
  const others = Object.entries(all).filter(([name]) => !name.startsWith(`${key}.`));
  return Object.fromEntries([
    ...others,
    ...Object.entries(changed).map(([name, value]) => [`${key}.${name}`, value]),
  ]);
}

// Whether the document says that this operation works without authentication.
function needsNoCredential(call: Call): boolean {
  const alternatives = call.tool.tool.operation.security;
  return (
    alternatives !== undefined &&
    (alternatives.length === 0 || alternatives.some((one) => Object.keys(one).length === 0))
  );
}

function checkFits(api: Api, credential: Credential, origin: string, tool?: Tool): void {
  const lacking = secretFields(api.auth).filter((field) => !credential.fields.includes(field));
  if (credential.kind !== api.auth.kind || lacking.length > 0) {
    const missing = lacking.length > 0 ? ` It lacks ${lacking.join(', ')}.` : '';
    throw credentialErrors.otherScheme({ slug: api.slug, missing });
  }
  if (!credential.origins.includes(origin)) {
    if (tool !== undefined && unagreedOrigin(api, tool) === origin)
      throw new HandrailError('credential_missing', askToAgree(api, origin));
    throw credentialErrors.otherOrigin({ slug: api.slug, origin });
  }
}

function missingError(api: Api, callerId: string): HandrailError {
  const [reason, callerOption] =
    api.sharedCredential === false
      ? [`the caller ${callerId} has no credential of its own`, ` --caller "${callerId}"`]
      : ['no credential is stored', ''];
  return credentialErrors.missing({ slug: api.slug, reason, callerOption });
}

// A login that hangs must not outlive the call that waits for it.
async function withTimeout(open: Promise<OpenCredential>, call: Call): Promise<OpenCredential> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const error = credentialErrors.signInTimeout({ notSent: true });
    timer = setTimeout(() => reject(error), call.tool.limits.totalTimeoutMs);
  });
  try {
    return await Promise.race([open, late]);
  } finally {
    clearTimeout(timer);
  }
}
