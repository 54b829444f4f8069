import type { Logger } from 'pino';
import type { Actor } from '../domain/audit.ts';
import type { IdentityProvider, SignInFacts } from '../domain/identity-provider.ts';
import type { InstallationSettings } from '../domain/settings.ts';
import { accessErrors } from '../domain/error-messages/access.ts';
import { registryErrors } from '../domain/error-messages/registry.ts';
import { HandrailError } from '../domain/errors.ts';
import { timeMs } from '../domain/fields/row-fields.ts';
import {
  localIssuer,
  type Person,
  personNameKey,
  type PersonSession,
  type Principal,
  type Role,
} from '../domain/person.ts';
import type { FactorKind } from '../domain/second-factor.ts';
import { readJson } from '../lib/schema/read-json.ts';
import { choice, integer, list, object, text } from '../lib/schema/schema.ts';
import { auditEntry } from '../registry/audit-entries.ts';
import { missing } from '../registry/rules/find-and-revise.ts';
import type { Store } from '../storage/ports.ts';
import type { Snapshot } from '../registry/snapshot.ts';
import { apiTokenPrefix, principalOfApiToken } from './api-tokens.ts';
import type { KeyUses } from './key-uses.ts';
import type { AdminTokens } from './admin-token.ts';
import { checkPassword, hashPassword, requireGoodPassword } from './passwords.ts';
import type { People, PersonNow } from './people.ts';
import { hashSecret, newSecret, sameHash } from './secrets.ts';
import { isDomainAllowed } from './sso/allowed-domains.ts';
import type {
  PasskeyAnswer,
  PasskeyChallenge,
  SecondFactors,
  TotpDraft,
} from './second-factors/second-factors.ts';
import { createSignInPace } from './sign-in-pace.ts';

/** The principal id of requests with the admin token. */
export const tokenPrincipalId = 'token';

/** Where a request comes from, for rate limits, the session list and the audit log. */
export interface RequestOrigin {
  readonly address: string;
  readonly userAgent: string;
}

/** A session that was just opened; the token goes into the cookie and nowhere else. */
export interface NewSession {
  readonly token: string;
  readonly principal: Principal;
}

/** A sign-in that isn't finished: the password was right. */
export interface SecondStep {
  /** Must come back with the second factor, within ten minutes. */
  readonly pending: string;
  readonly stage: 'second-factor' | 'set-up';
  /** What the person can use. */
  readonly kinds: readonly FactorKind[];
  readonly name: string;
}

/** The credentials of a request to the admin API. */
export interface AdminProof {
  readonly authorization?: string | undefined;
  readonly sessionToken?: string | undefined;
}

/** Signing in to and out of the admin API. */
export interface SignIn {
  /** The principal with these credentials; throws `unauthenticated` if there is none. */
  authenticate(proof: AdminProof): Promise<Principal>;
  /** Calls back once when these credentials are no longer valid: signed out, expired, removed or replaced. Returns a function that stops watching. */
  watch(proof: AdminProof, onEnded: () => void): () => void;
  /** Checks a password; someone with a second factor, or who must set one up, is not signed in yet. */
  withPassword(name: string, password: string, from: RequestOrigin): Promise<NewSession | SecondStep>;
  /** The unfinished sign-in that a text stands for, as it is now. */
  step(pending: string): Promise<SecondStep>;
  /** Finishes a sign-in with a code from an app, or a recovery code. */
  withCode(pending: string, code: string, from: RequestOrigin): Promise<NewSession>;
  /** A challenge for the passkeys of an unfinished sign-in, or for any passkey instead of a password. */
  passkeyChallenge(pending: string | null): Promise<PasskeyChallenge>;
  withPasskey(pending: string | null, answer: PasskeyAnswer, from: RequestOrigin): Promise<NewSession>;
  /** Begins setting up the app that a person must have. */
  draftTotp(pending: string, again?: string): Promise<TotpDraft>;
  /** Sets it up and signs in; the recovery codes are shown once. */
  withNewTotp(
    pending: string,
    input: { readonly draft: string; readonly code: string; readonly name: string },
    from: RequestOrigin,
  ): Promise<NewSession & { readonly recoveryCodes: readonly string[] }>;
  /** The local person of a browser session; `isChange` needs a sign-in of the last 15 minutes. */
  ownAccount(principal: Principal, isChange: boolean): Promise<Person>;
  /** Whether this person must have a second factor. */
  needsSecondFactor(person: Pick<PersonNow, 'role'>): boolean;
  /** Signs in someone whom a provider vouches for. */
  withProvider(provider: IdentityProvider, facts: SignInFacts, from: RequestOrigin): Promise<NewSession>;
  signOut(principal: Principal, from: RequestOrigin): Promise<void>;
  /** Ends every session of this person. */
  signOutEverywhere(principal: Principal, from: RequestOrigin): Promise<void>;
  /** Ends every session of another person. */
  endSessions(personId: string): Promise<void>;
  changePassword(principal: Principal, current: string, next: string, from: RequestOrigin): Promise<void>;
  /** A token for the first owner, while there is no one with a password; null afterwards. */
  makeSetupToken(): Promise<string | null>;
  setUp(token: string, name: string, password: string, from: RequestOrigin): Promise<NewSession>;
  /** Adds a local account, or has its person choose a new password; the token is shown once. */
  invite(
    who:
      | {
          readonly name: string;
          readonly role: Role;
          readonly email?: string | undefined;
          readonly groups?: readonly string[] | undefined;
        }
      | { readonly personId: string },
    actor: Actor,
  ): Promise<{ readonly person: Person; readonly token: string }>;
  /** The person an invitation is for. */
  invited(token: string): Promise<Person>;
  accept(token: string, password: string, from: RequestOrigin): Promise<NewSession | SecondStep>;
}

export interface SignInOptions {
  readonly people: People;
  readonly factors: SecondFactors;
  readonly store: Pick<Store, 'sessions' | 'people' | 'audit' | 'meta' | 'grants'>;
  readonly tokens: AdminTokens;
  readonly snapshot: () => Pick<Snapshot, 'apiTokens'>;
  readonly uses: Pick<KeyUses, 'note'>;
  readonly settings: () => Pick<Partial<InstallationSettings>, 'passwordSignIn' | 'secondFactor'>;
  readonly log?: Pick<Logger, 'warn'>;
  readonly now: () => number;
}

const hourMs = 3_600_000;
const idleMs = 24 * hourMs;
const maxSessionMs = 14 * 24 * hourMs;
const invitationMs = 7 * 24 * hourMs;
const setupMs = 24 * hourMs;
const touchEveryMs = 60_000;
// How soon a session that expired or was signed out in another process is noticed; in this process it is immediate.
const recheckMs = 5_000;
const stepMs = 10 * 60_000;
const maxSteps = 5_000;
const recentMs = 15 * 60_000;
const stepKind = 'SignInStep';
const stepForm = object({ version: integer(), action: choice('session.sign_in', 'session.break_glass') });
type SignInAction = 'session.sign_in' | 'session.break_glass';
const maxSetupTokens = 10;
const setupFact = 'setup_tokens';

/** Creates the sign-in of one process. */
export function createSignIn({
  people,
  factors,
  store,
  tokens,
  snapshot,
  uses,
  settings,
  log,
  now,
}: SignInOptions): SignIn {
  const pace = createSignInPace(now);

  async function open(
    person: Person,
    from: RequestOrigin,
    action: string,
    secondFactor?: FactorKind,
  ): Promise<NewSession> {
    const { value: token, hash } = newSecret('hrs_');
    const nowMs = now();
    const current = people.nowOf(person);
    if (current === null) throw accessErrors.signInFailed();
    const session: PersonSession = {
      hash,
      personId: person.id,
      createdAtMs: nowMs,
      lastSeenAtMs: nowMs,
      expiresAtMs: nowMs + maxSessionMs,
      address: from.address.slice(0, 60),
      userAgent: from.userAgent.slice(0, 300),
    };
    await store.sessions.removeExpired(nowMs);
    await store.sessions.add(session);
    const entry = auditEntry(actorOf(person, from), nowMs, action, subjectOf(person));
    await store.audit.add([
      secondFactor === undefined ? entry : { ...entry, after: JSON.stringify({ secondFactor }) },
    ]);
    await store.people.noteSignIn(person.id, nowMs);
    return { token, principal: principalOf(current, person, session, token) };
  }

  /** Signs in whose password was right, unless there is or must be a second factor. */
  async function proceed(
    person: Person,
    from: RequestOrigin,
    action: SignInAction,
  ): Promise<NewSession | SecondStep> {
    const current = people.nowOf(person);
    if (current === null) throw accessErrors.signInFailed();
    const step = await stepOf(person, current);
    if (step === null) {
      pace.succeeded(from.address, personNameKey(person.name));
      return open(person, from, action);
    }
    pace.halfSucceeded(from.address, personNameKey(person.name));
    const { value: pending } = newSecret('hrstep_');
    const nowMs = now();
    await store.grants.removeEnded(nowMs, { kind: stepKind, max: maxSteps - 1 });
    await store.grants.put({
      name: pending,
      kind: stepKind,
      personId: person.id,
      createdAtMs: nowMs,
      expiresAtMs: nowMs + stepMs,
      doc: JSON.stringify({ version: person.version, action }),
    });
    return { pending, ...step };
  }

  async function stepOf(person: Person, current: PersonNow): Promise<Omit<SecondStep, 'pending'> | null> {
    const { kinds } = await factors.stateOf(person.id);
    if (kinds.length > 0) return { stage: 'second-factor', kinds, name: person.name };
    return needsSecondFactor(current) ? { stage: 'set-up', kinds: [], name: person.name } : null;
  }

  /** The unfinished sign-in, unless it expired, or the person's password or rights changed since. */
  async function readStep(pending: string) {
    const entry = pending.length > 200 ? null : await store.grants.get(stepKind, pending, now());
    const kept = entry === null ? null : readJson(stepForm, entry.doc);
    const person = entry?.personId === undefined ? null : await people.read(entry.personId);
    const current = person && people.nowOf(person);
    if (kept === null || person === null || current === null || person.version !== kept.version)
      throw accessErrors.stepExpired();
    const step = await stepOf(person, current);
    if (step === null) throw accessErrors.stepExpired();
    return { person, action: kept.action, step };
  }

  /** What finishes a sign-in is used once, whichever of two requests arrives first. */
  async function finish(
    pending: string,
    { person, action }: { readonly person: Person; readonly action: SignInAction },
    from: RequestOrigin,
    secondFactor: FactorKind,
  ): Promise<NewSession> {
    if (!(await store.grants.consume(stepKind, pending, now()))) throw accessErrors.stepExpired();
    await store.grants.remove(stepKind, pending);
    pace.succeeded(from.address, person.id);
    return open(person, from, action, secondFactor);
  }

  async function refuseFactor(person: Person, from: RequestOrigin, error: HandrailError): Promise<never> {
    const actor: Actor = { id: 'unknown', label: 'someone', address: from.address };
    const entry = auditEntry(actor, now(), 'session.refused', subjectOf(person));
    await store.audit.add([{ ...entry, after: JSON.stringify({ step: 'second factor' }) }]);
    throw error;
  }

  function needsSecondFactor({ role }: Pick<PersonNow, 'role'>): boolean {
    const { secondFactor = 'optional' } = settings();
    return secondFactor === 'everyone' || (secondFactor === 'owners' && role === 'owner');
  }

  /** How a local account may sign in while single sign-on is required: owners only, loudly. */
  function localAction(person: Person, from: RequestOrigin): SignInAction {
    if (settings().passwordSignIn !== 'owners') return 'session.sign_in';
    if (person.role !== 'owner') throw accessErrors.passwordsOff();
    log?.warn(
      { person: person.id, address: from.address },
      'an owner signed in with a password although single sign-on is required',
    );
    return 'session.break_glass';
  }

  const watchers = new Set<{ readonly proof: AdminProof; readonly onEnded: () => void }>();
  let recheckTimer: NodeJS.Timeout | null = null;

  async function recheckWatched(): Promise<void> {
    for (const watcher of watchers) {
      try {
        await check(watcher.proof);
      } catch (error) {
        // A temporary failure of the store doesn't mean that the session ended.
        if (!(error instanceof HandrailError) || error.code !== 'unauthenticated') continue;
        if (watchers.delete(watcher)) watcher.onEnded();
      }
    }
    if (watchers.size === 0 && recheckTimer !== null) {
      clearInterval(recheckTimer);
      recheckTimer = null;
    }
  }

  async function removeAllOf(personId: string, exceptHash?: string): Promise<void> {
    await store.sessions.removeAllOf(personId, exceptHash);
    await recheckWatched();
  }

  async function check({ authorization, sessionToken }: AdminProof): Promise<Principal> {
    if (authorization === undefined && sessionToken !== undefined) return sessionOf(sessionToken);
    const bearer = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (bearer?.startsWith(apiTokenPrefix) === true)
      return principalOfApiToken(bearer, { snapshot: snapshot(), people, uses, nowMs: now() });
    tokens.check(authorization);
    return { id: tokenPrincipalId, name: 'admin token', role: 'owner', groups: [], via: 'token', csrf: '' };
  }

  async function sessionOf(token: string): Promise<Principal> {
    const session = await store.sessions.get(hashSecret(token));
    const nowMs = now();
    // Read each time: a session ends with its person at once, on every instance.
    const person = session === null ? null : await people.read(session.personId);
    const current = person && people.nowOf(person);
    if (
      session === null ||
      current === null ||
      session.expiresAtMs <= nowMs ||
      session.lastSeenAtMs + idleMs <= nowMs
    ) {
      throw accessErrors.sessionEnded();
    }
    return principalOf(current, person!, session, token);
  }

  return {
    async authenticate(proof) {
      const principal = await check(proof);
      const { session } = principal;
      const nowMs = now();
      if (session !== undefined && nowMs - session.lastSeenAtMs > touchEveryMs)
        await store.sessions.touch(session.hash, nowMs);
      return principal;
    },

    watch(proof, onEnded) {
      const watcher = { proof, onEnded };
      watchers.add(watcher);
      recheckTimer ??= setInterval(() => void recheckWatched(), recheckMs).unref();
      return () => watchers.delete(watcher);
    },

    async withPassword(name, password, from) {
      const nameKey = personNameKey(name).slice(0, 200);
      const account = nameKey;
      pace.attempt(from.address, account);
      const person = await store.people.byName(nameKey);
      if (await checkPassword(person?.passwordHash, password)) {
        return proceed(person!, from, localAction(person!, from));
      }
      if (person !== null) {
        const actor: Actor = { id: 'unknown', label: 'someone', address: from.address };
        await store.audit.add([auditEntry(actor, now(), 'session.refused', subjectOf(person))]);
      }
      throw accessErrors.signInFailed();
    },

    async step(pending) {
      return { pending, ...(await readStep(pending)).step };
    },

    async withCode(pending, code, from) {
      const read = await readStep(pending);
      pace.attemptCode(from.address, read.person.id);
      const kind = await factors.useCode(read.person.id, code);
      if (kind === null) return refuseFactor(read.person, from, accessErrors.secondFactorWrong());
      return finish(pending, read, from, kind);
    },

    passkeyChallenge: async (pending) =>
      factors.passkeyToUse(pending === null ? null : (await readStep(pending)).person.id),

    async withPasskey(pending, answer, from) {
      if (pending !== null) {
        const read = await readStep(pending);
        pace.attemptCode(from.address, read.person.id);
        if ((await factors.usePasskey(answer, read.person.id)) === null)
          return refuseFactor(read.person, from, accessErrors.passkeyWrong());
        return finish(pending, read, from, 'passkey');
      }
      const account = `passkey ${from.address}`;
      pace.attempt(from.address, account);
      const personId = await factors.usePasskey(answer, null);
      const person = personId === null ? null : await people.read(personId);
      if (person === null || people.nowOf(person) === null) throw accessErrors.passkeyWrong();
      pace.succeeded(from.address, account);
      return open(person, from, localAction(person, from), 'passkey');
    },

    async draftTotp(pending, again) {
      const { person, step } = await readStep(pending);
      if (step.stage !== 'set-up') throw accessErrors.stepExpired();
      return factors.draftTotp(person, again);
    },

    async withNewTotp(pending, input, from) {
      const read = await readStep(pending);
      if (read.step.stage !== 'set-up') throw accessErrors.stepExpired();
      pace.attemptCode(from.address, read.person.id);
      const { recoveryCodes } = await factors.addTotp(read.person, actorOf(read.person, from), input);
      return { ...(await finish(pending, read, from, 'totp')), recoveryCodes };
    },

    async ownAccount({ id, session }, isChange) {
      if (session === undefined) throw accessErrors.tokenHasNoPassword();
      const person = (await people.read(id)) ?? missing('person', id);
      if (person.issuer !== localIssuer) throw accessErrors.factorElsewhere();
      if (isChange && session.createdAtMs + recentMs <= now()) throw accessErrors.signInTooOld();
      return person;
    },

    needsSecondFactor,

    async withProvider(provider, facts, from) {
      const actor = { label: facts.name, address: from.address };
      const refuse = async (error: HandrailError): Promise<never> => {
        const subject = { kind: 'identity-provider', id: provider.id, label: provider.name };
        await store.audit.add([auditEntry({ ...actor, id: 'unknown' }, now(), 'session.refused', subject)]);
        throw error;
      };
      if (!isDomainAllowed(provider, facts)) return refuse(accessErrors.providerDomain());
      const person = await people.signedIn(actor, facts);
      if (person.disabled === true) return refuse(accessErrors.personDisabled());
      return open(person, from, 'session.sign_in');
    },

    async signOut({ session, id, name }, from) {
      if (session === undefined) return;
      await store.sessions.remove(session.hash);
      await recheckWatched();
      await store.audit.add([
        auditEntry({ id, label: name, address: from.address }, now(), 'session.sign_out', {
          kind: 'person',
          id,
          label: name,
        }),
      ]);
    },

    async signOutEverywhere({ id, name, via }, from) {
      if (via === 'token') return;
      await removeAllOf(id);
      await store.audit.add([
        auditEntry({ id, label: name, address: from.address }, now(), 'session.sign_out_everywhere', {
          kind: 'person',
          id,
          label: name,
        }),
      ]);
    },

    endSessions: removeAllOf,

    async changePassword(principal, current, next, from) {
      if (principal.session === undefined) throw accessErrors.tokenHasNoPassword();
      const person = (await people.read(principal.id)) ?? missing('person', principal.id);
      if (person.issuer !== localIssuer) throw accessErrors.passwordElsewhere();
      const account = personNameKey(person.name);
      pace.attempt(from.address, account);
      if (!(await checkPassword(person.passwordHash, current))) {
        throw accessErrors.currentPasswordWrong({
          problems: [{ path: '/current', message: 'is wrong' }],
        });
      }
      pace.succeeded(from.address, account);
      requireGoodPassword(next, person.name);
      const passwordHash = await hashPassword(next);
      await people.revise(
        actorFor(principal, from.address),
        (view) => view.get(person.id),
        () => ({ passwordHash }),
      );
      // Someone who knew the old password may be signed in elsewhere.
      await removeAllOf(person.id, principal.session.hash);
    },

    async makeSetupToken() {
      if (await store.people.hasPasswords()) return null;
      const { value, hash } = newSecret('hrsetup_');
      // Each of several instances prints its own link; all of them are valid.
      const others = (await readSetupTokens(store, now())).slice(1 - maxSetupTokens);
      await store.meta.set(setupFact, JSON.stringify([...others, { hash, expiresAtMs: now() + setupMs }]));
      return value;
    },

    async setUp(token, name, password, from) {
      pace.attempt(from.address, 'setup');
      if (await store.people.hasPasswords()) throw accessErrors.alreadySetUp();
      const hash = hashSecret(token);
      if (!(await readSetupTokens(store, now())).some((known) => sameHash(known.hash, hash))) {
        throw accessErrors.setupLinkInvalid();
      }
      pace.succeeded(from.address, 'setup');
      requireGoodPassword(password, name);
      const passwordHash = await hashPassword(password);
      const person = await people.createOwner(
        { id: 'setup', label: 'setup link', address: from.address },
        { name, passwordHash },
      );
      await store.meta.delete(setupFact);
      return open(person, from, 'session.sign_in');
    },

    async invite(who, actor) {
      const { value: token, hash } = newSecret('hrinvite_');
      const invitation = { hash, expiresAtMs: now() + invitationMs };
      const person =
        'personId' in who
          ? await people.revise(
              actor,
              async (view) => (await view.get(who.personId)) ?? missing('person', who.personId),
              ({ issuer }) => {
                if (issuer !== localIssuer) throw accessErrors.passwordElsewhere();
                return { invitation };
              },
            )
          : await people.invite(actor, who, invitation);
      return { person, token };
    },

    invited,

    async accept(token, password, from) {
      pace.attempt(from.address, 'invitation');
      const waiting = await invited(token);
      pace.succeeded(from.address, 'invitation');
      requireGoodPassword(password, waiting.name);
      const passwordHash = await hashPassword(password);
      const hash = hashSecret(token);
      const person = await people.revise(
        actorOf(waiting, from),
        async (view) => unexpired(await view.byInvitation(hash)),
        () => ({ passwordHash, invitation: undefined }),
      );
      await removeAllOf(person.id);
      return proceed(person, from, 'session.sign_in');
    },
  };

  async function invited(token: string): Promise<Person> {
    return unexpired(await store.people.byInvitation(hashSecret(token)));
  }

  function unexpired(person: Person | null): Person {
    const isOpen = person?.invitation !== undefined && person.invitation.expiresAtMs > now();
    if (!isOpen || person.disabled === true) throw registryErrors.invitationUsed();
    return person;
  }
}

/** The audit log actor for a principal's changes. */
export function actorFor(principal: Principal, address: string): Actor {
  return { id: principal.id, label: principal.name, address };
}

function actorOf(person: Person, from: RequestOrigin): Actor {
  return { id: person.id, label: person.name, address: from.address };
}

function subjectOf(person: Person) {
  return { kind: 'person', id: person.id, label: person.name };
}

function principalOf(
  person: PersonNow,
  { issuer }: Pick<Person, 'issuer'>,
  session: PersonSession,
  token: string,
): Principal {
  // Bound to the session, so that a value planted in another session is useless here.
  return {
    id: person.id,
    name: person.name,
    role: person.role,
    groups: person.groups,
    via: 'session',
    session,
    isLocal: issuer === localIssuer,
    csrf: hashSecret(`csrf ${token}`),
  };
}

const setupTokens = list(object({ hash: text({ max: 200 }), expiresAtMs: timeMs }), { max: 1_000 });

// Unreadable tokens are ignored; the next start prints a new link.
async function readSetupTokens(
  store: Pick<Store, 'meta'>,
  nowMs: number,
): Promise<{ hash: string; expiresAtMs: number }[]> {
  const fact = await store.meta.get(setupFact);
  const all = (fact !== null && readJson(setupTokens, fact)) || [];
  return all.filter((known) => known.expiresAtMs > nowMs);
}
