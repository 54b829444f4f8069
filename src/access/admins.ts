import {
  type Admin,
  adminNameKey,
  type AdminPrincipal,
  type AdminRole,
  type AdminSession,
} from '../domain/admin.ts';
import type { Actor } from '../domain/audit.ts';
import { accessErrors } from '../domain/error-messages/access.ts';
import { HandrailError } from '../domain/errors.ts';
import {
  acceptInvitation,
  createFirstAdmin,
  findAdmin,
  findAdminByName,
  hasAdmin,
  inviteAdmin,
  invitedBy,
  renewInvitation,
  setPassword,
} from '../registry/rules/admins.ts';
import { timeMs } from '../domain/fields/row-fields.ts';
import { readJson } from '../lib/schema/read-json.ts';
import { list, object, text } from '../lib/schema/schema.ts';
import { auditEntry } from '../registry/audit-entries.ts';
import type { Registry } from '../registry/registry.ts';
import type { Store } from '../storage/ports.ts';
import type { AdminTokens } from './admin-token.ts';
import { checkPassword, hashPassword, requireGoodPassword } from './passwords.ts';
import { hashSecret, newSecret, sameHash } from './secrets.ts';
import { createSignInPace } from './sign-in-pace.ts';

/** The admin id of requests with the admin token. */
export const tokenAdminId = 'token';

/** Where a request comes from, for rate limits, the session list and the audit log. */
export interface RequestOrigin {
  readonly address: string;
  readonly userAgent: string;
}

/** A session that was just opened; the token goes into the cookie and nowhere else. */
export interface NewSession {
  readonly token: string;
  readonly principal: AdminPrincipal;
}

/** The credentials of a request to the admin API. */
export interface AdminProof {
  readonly authorization?: string | undefined;
  readonly sessionToken?: string | undefined;
}

/** Signing in to and out of the admin API. */
export interface Admins {
  /** The admin with these credentials; throws `unauthenticated` if there is none. */
  authenticate(proof: AdminProof): Promise<AdminPrincipal>;
  /** Calls back once when these credentials are no longer valid: signed out, expired, removed or replaced. Returns a function that stops watching. */
  watch(proof: AdminProof, onEnded: () => void): () => void;
  signIn(name: string, password: string, from: RequestOrigin): Promise<NewSession>;
  signOut(principal: AdminPrincipal, from: RequestOrigin): Promise<void>;
  /** Ends every session of this admin. */
  signOutEverywhere(principal: AdminPrincipal, from: RequestOrigin): Promise<void>;
  /** Ends every session of another admin. */
  endSessions(adminId: string): Promise<void>;
  changePassword(
    principal: AdminPrincipal,
    current: string,
    next: string,
    from: RequestOrigin,
  ): Promise<void>;
  /** A token for the first admin, while there is none; null afterwards. */
  makeSetupToken(): Promise<string | null>;
  setUp(token: string, name: string, password: string, from: RequestOrigin): Promise<NewSession>;
  /** Adds an admin, or has one choose a new password; the token is shown once. */
  invite(
    who: { readonly name: string; readonly role: AdminRole } | { readonly adminId: string },
    actor: Actor,
  ): Promise<{ readonly admin: Admin; readonly token: string }>;
  /** The name an invitation is for. */
  invited(token: string): Admin;
  accept(token: string, password: string, from: RequestOrigin): Promise<NewSession>;
}

export interface AdminsOptions {
  readonly registry: Registry;
  readonly store: Pick<Store, 'sessions' | 'audit' | 'meta'>;
  readonly tokens: AdminTokens;
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
const maxSetupTokens = 10;
const setupFact = 'setup_tokens';

/** Creates the sign-in of one process. */
export function createAdmins({ registry, store, tokens, now }: AdminsOptions): Admins {
  const pace = createSignInPace(now);

  async function open(admin: Admin, from: RequestOrigin, action: string): Promise<NewSession> {
    const { value: token, hash } = newSecret('hrs_');
    const nowMs = now();
    const session: AdminSession = {
      hash,
      adminId: admin.id,
      createdAtMs: nowMs,
      lastSeenAtMs: nowMs,
      expiresAtMs: nowMs + maxSessionMs,
      address: from.address.slice(0, 60),
      userAgent: from.userAgent.slice(0, 300),
    };
    await store.sessions.removeExpired(nowMs);
    await store.sessions.add(session);
    await store.audit.add([auditEntry(actorOf(admin, from), nowMs, action, subjectOf(admin))]);
    return { token, principal: principalOf(admin, session, token) };
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

  async function removeAllOf(adminId: string, exceptHash?: string): Promise<void> {
    await store.sessions.removeAllOf(adminId, exceptHash);
    await recheckWatched();
  }

  async function check({ authorization, sessionToken }: AdminProof): Promise<AdminPrincipal> {
    if (authorization === undefined && sessionToken !== undefined) return sessionOf(sessionToken);
    tokens.check(authorization);
    return { id: tokenAdminId, name: 'admin token', role: 'owner', via: 'token', csrf: '' };
  }

  async function sessionOf(token: string): Promise<AdminPrincipal> {
    const session = await store.sessions.get(hashSecret(token));
    const nowMs = now();
    const admin = session === null ? undefined : registry.snapshot.admins.get(session.adminId);
    if (
      session === null ||
      admin === undefined ||
      session.expiresAtMs <= nowMs ||
      session.lastSeenAtMs + idleMs <= nowMs
    ) {
      throw accessErrors.sessionEnded();
    }
    return principalOf(admin, session, token);
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

    async signIn(name, password, from) {
      const account = adminNameKey(name).slice(0, 200);
      pace.attempt(from.address, account);
      const admin = findAdminByName(registry.snapshot, name);
      if (await checkPassword(admin?.passwordHash, password)) {
        pace.succeeded(from.address, account);
        return open(admin!, from, 'session.sign_in');
      }
      if (admin !== undefined) {
        const actor: Actor = { id: 'unknown', label: 'someone', address: from.address };
        await store.audit.add([auditEntry(actor, now(), 'session.refused', subjectOf(admin))]);
      }
      throw accessErrors.signInFailed();
    },

    async signOut({ session, id, name }, from) {
      if (session === undefined) return;
      await store.sessions.remove(session.hash);
      await recheckWatched();
      await store.audit.add([
        auditEntry({ id, label: name, address: from.address }, now(), 'session.sign_out', {
          kind: 'admin',
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
          kind: 'admin',
          id,
          label: name,
        }),
      ]);
    },

    endSessions: removeAllOf,

    async changePassword(principal, current, next, from) {
      if (principal.session === undefined) throw accessErrors.tokenHasNoPassword();
      const admin = findAdmin(registry.snapshot, principal.id);
      const account = adminNameKey(admin.name);
      pace.attempt(from.address, account);
      if (!(await checkPassword(admin.passwordHash, current))) {
        throw accessErrors.currentPasswordWrong({
          problems: [{ path: '/current', message: 'is wrong' }],
        });
      }
      pace.succeeded(from.address, account);
      requireGoodPassword(next, admin.name);
      const passwordHash = await hashPassword(next);
      await registry.commit(actorFor(principal, from.address), (snapshot) =>
        setPassword(snapshot, admin.id, passwordHash, { nowMs: now() }),
      );
      // Someone who knew the old password may be signed in elsewhere.
      await removeAllOf(admin.id, principal.session.hash);
    },

    async makeSetupToken() {
      if (hasAdmin(registry.snapshot)) return null;
      const { value, hash } = newSecret('hrsetup_');
      // Each of several instances prints its own link; all of them are valid.
      const others = (await readSetupTokens(store, now())).slice(1 - maxSetupTokens);
      await store.meta.set(setupFact, JSON.stringify([...others, { hash, expiresAtMs: now() + setupMs }]));
      return value;
    },

    async setUp(token, name, password, from) {
      pace.attempt(from.address, 'setup');
      if (hasAdmin(registry.snapshot)) throw accessErrors.alreadySetUp();
      const hash = hashSecret(token);
      if (!(await readSetupTokens(store, now())).some((known) => sameHash(known.hash, hash))) {
        throw accessErrors.setupLinkInvalid();
      }
      pace.succeeded(from.address, 'setup');
      requireGoodPassword(password, name);
      const passwordHash = await hashPassword(password);
      const admin = await registry.commit(
        { id: 'setup', label: 'setup link', address: from.address },
        (snapshot) => createFirstAdmin(snapshot, { name, passwordHash }, { nowMs: now() }),
      );
      await store.meta.delete(setupFact);
      return open(admin, from, 'session.sign_in');
    },

    async invite(who, actor) {
      const { value: token, hash } = newSecret('hrinvite_');
      const invitation = { hash, expiresAtMs: now() + invitationMs };
      const admin = await registry.commit(actor, (snapshot) =>
        'adminId' in who
          ? renewInvitation(snapshot, who.adminId, invitation, { nowMs: now() })
          : inviteAdmin(snapshot, { ...who, invitation }, { nowMs: now() }),
      );
      return { admin, token };
    },

    invited: (token) => invitedBy(registry.snapshot, hashSecret(token), now()),

    async accept(token, password, from) {
      pace.attempt(from.address, 'invitation');
      const hash = hashSecret(token);
      const invited = invitedBy(registry.snapshot, hash, now());
      pace.succeeded(from.address, 'invitation');
      requireGoodPassword(password, invited.name);
      const passwordHash = await hashPassword(password);
      const admin = await registry.commit(actorOf(invited, from), (snapshot) =>
        acceptInvitation(snapshot, hash, passwordHash, { nowMs: now() }),
      );
      await removeAllOf(admin.id);
      return open(admin, from, 'session.sign_in');
    },
  };
}

/** The audit log actor for a principal's changes. */
export function actorFor(principal: AdminPrincipal, address: string): Actor {
  return { id: principal.id, label: principal.name, address };
}

function actorOf(admin: Admin, from: RequestOrigin): Actor {
  return { id: admin.id, label: admin.name, address: from.address };
}

function subjectOf(admin: Admin) {
  return { kind: 'admin', id: admin.id, label: admin.name };
}

function principalOf(admin: Admin, session: AdminSession, token: string): AdminPrincipal {
  // Bound to the session, so that a value planted in another session is useless here.
  return {
    id: admin.id,
    name: admin.name,
    role: admin.role,
    via: 'session',
    session,
    csrf: hashSecret(`csrf ${token}`),
  };
}

const setupTokens = list(object({ hash: text({ max: 200 }), expiresAtMs: timeMs }), { max: 1_000 });

// Unreadable tokens are ignored; the next start prints a new link.
async function readSetupTokens(
  store: AdminsOptions['store'],
  nowMs: number,
): Promise<{ hash: string; expiresAtMs: number }[]> {
  const fact = await store.meta.get(setupFact);
  const all = (fact !== null && readJson(setupTokens, fact)) || [];
  return all.filter((known) => known.expiresAtMs > nowMs);
}
