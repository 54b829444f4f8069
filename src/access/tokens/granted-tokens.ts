import type { Caller } from '../../domain/call.ts';
import { accessErrors } from '../../domain/error-messages/access.ts';
import {
  type ConnectedApp,
  type Consent,
  connectedApp,
  isConsented,
  kindScope,
  kindScopes,
  readScope,
  toolScope,
} from '../../domain/connected-app.ts';
import type { Server } from '../../domain/server.ts';
import { type PersonalKey, personalKey, takesPersonalKeys } from '../../domain/personal-key.ts';
import { kindOf } from '../../domain/tool.ts';
import { readJson } from '../../lib/schema/read-json.ts';
import type { ServerView } from '../../registry/snapshot.ts';
import type { GrantStore } from '../../storage/ports.ts';
import { personCaller, personalKeyPrefix, type PersonTokens } from '../callers.ts';
import type { People, PersonNow } from '../people.ts';
import { jsonObject } from './issuer-metadata.ts';

/** The kinds of entries that those who issue them and the check of their tokens share. */
export const entryKinds = {
  accessToken: 'AccessToken',
  connectedApp: 'ConnectedApp',
  personalKey: 'PersonalKey',
} as const;

type GrantKind = (typeof entryKinds)['connectedApp' | 'personalKey'];
const grantKinds: readonly GrantKind[] = [entryKinds.connectedApp, entryKinds.personalKey];

/** The check of such tokens, and what keeps it up to date. */
export interface GrantedTokens extends PersonTokens {
  /** Looks for grants that have ended; for the process that ended one, so that it needn't wait. */
  recheck(): Promise<void>;
  /**
   * Calls back after a grant ended or a person changed, once `remembered` knows: streams that are open ask it again then.
   * Also every 20 s, because a token that isn't asked about is forgotten.
   */
  onChange(listener: () => void): () => void;
  close(): void;
}

/** What a person granted an app, or a key of their own. */
interface Grant {
  readonly kind: GrantKind;
  readonly id: string;
  readonly personId: string;
  isFor(server: Server): boolean;
  callerOf(person: PersonNow, view: ServerView): Caller;
}

interface KnownToken {
  readonly grant: Grant;
  readonly expiresAtMs: number;
  usedAtMs: number;
  /** The caller on the server as it was then. */
  made: { readonly view: ServerView; readonly person: PersonNow; readonly caller: Caller } | null;
}

const maxTokens = 5_000;
const lookEveryMs = 500;
/** How long tokens that were checked before work while the store can't be reached. */
const maxLagMs = 5_000;
const idleMs = 60_000;
const announceEveryMs = 20_000;
const noteUseEveryMs = 60_000;
const maxAttempts = 5;

/** Creates the check of one process. */
export function createGrantedTokens(options: {
  readonly grants: GrantStore;
  readonly viewOf: (slug: string) => ServerView | undefined;
  readonly people: Pick<People, 'known' | 'personAtVersion' | 'seq' | 'onChange'>;
  readonly now: () => number;
}): GrantedTokens {
  const { grants, viewOf, people, now } = options;
  // By the token itself: hashing it for each call would cost more than everything else here.
  const known = new Map<string, KnownToken>();
  const noted = new Map<string, number>();
  let epoch: string | null = null;
  /** Raised before what has ended is dropped. */
  let drops = 0;
  let lookedAtMs = 0;
  let timer: NodeJS.Timeout | null = null;
  let looking: Promise<void> | null = null;
  let ticking: Promise<void> | null = null;
  let hasExpired = false;
  let announced = { seq: -1, drops: 0, atMs: 0 };
  const listeners = new Set<() => void>();
  const stopFollowing = people.onChange(() => {
    if (timer !== null) tickOnce();
  });

  /** Drops what has ended in any process. One small read, unless a grant has ended somewhere. */
  async function look(): Promise<void> {
    const beganAtMs = now();
    const current = await grants.epoch();
    if (epoch !== current) {
      drops++;
      for (const kind of grantKinds) {
        const mine = [...known].filter(([, { grant }]) => grant.kind === kind);
        const ids = [...new Set(mine.map(([, { grant }]) => grant.id))];
        const standing = await grants.standing(kind, ids, beganAtMs);
        for (const [secret, { grant }] of mine) if (!standing.has(grant.id)) known.delete(secret);
      }
      epoch = current;
    }
    lookedAtMs = beganAtMs;
  }

  function lookOnce(): Promise<void> {
    looking ??= look().finally(() => (looking = null));
    return looking;
  }

  async function tick(): Promise<void> {
    const nowMs = now();
    const seq = people.seq();
    for (const [secret, token] of known) {
      if (token.expiresAtMs <= nowMs || token.usedAtMs + idleMs <= nowMs) {
        known.delete(secret);
        hasExpired = true;
      } else {
        // A disk that is full must not end anyone's access.
        await noteUse(token).catch(() => {});
        // Read again after a change of anyone, so that streams needn't end.
        if (people.known(token.grant.personId) === undefined)
          await people.personAtVersion(token.grant.personId);
      }
    }
    if (known.size > 0) await lookOnce();
    // If anyone changed meanwhile, they may not be read yet: the next tick announces it.
    if (seq === people.seq()) announce(seq);
    if (known.size === 0) stop();
  }

  function announce(seq: number): void {
    const nowMs = now();
    const isChanged = seq !== announced.seq || drops !== announced.drops || hasExpired;
    if (!isChanged && nowMs - announced.atMs < announceEveryMs) return;
    announced = { seq, drops, atMs: nowMs };
    hasExpired = false;
    for (const listener of listeners) listener();
  }

  /** One at a time. While the store can't be reached for too long, tokens are refused, and streams end as well. */
  function tickOnce(): void {
    ticking ??= tick()
      .catch(() => {
        if (now() - lookedAtMs > maxLagMs) for (const listener of listeners) listener();
      })
      .finally(() => (ticking = null));
  }

  async function noteUse({ grant, usedAtMs }: KnownToken): Promise<void> {
    if (usedAtMs - (noted.get(grant.id) ?? 0) < noteUseEveryMs) return;
    if (noted.size >= maxTokens) noted.clear();
    noted.set(grant.id, usedAtMs);
    await grants.touch(grant.kind, grant.id, usedAtMs);
  }

  function stop(): void {
    if (timer !== null) clearInterval(timer);
    timer = null;
    epoch = null;
  }

  function callerOn(token: KnownToken, server: Server): Caller | undefined {
    const { grant } = token;
    // Neither removed, nor changed since they were read.
    const person = grant.isFor(server) ? people.known(grant.personId) : null;
    const view = viewOf(server.slug);
    if (person === undefined || person === null || view === undefined) return undefined;
    if (token.made?.view !== view || token.made.person !== person)
      token.made = { view, person, caller: grant.callerOf(person, view) };
    return token.made.caller;
  }

  /** The grant behind a token that was never seen here; null if there is none. */
  async function readGrant(
    secret: string,
    nowMs: number,
  ): Promise<{ readonly grant: Grant; readonly expiresAtMs: number } | null> {
    if (secret.startsWith(personalKeyPrefix)) {
      const entry = await grants.get(entryKinds.personalKey, secret, nowMs);
      const key = entry === null ? null : readJson(personalKey, entry.doc);
      return entry === null || key === null
        ? null
        : { grant: grantOfKey(key), expiresAtMs: entry.expiresAtMs };
    }
    const entry = await grants.get(entryKinds.accessToken, secret, nowMs);
    const app =
      entry?.grantId === undefined ? null : await grants.get(entryKinds.connectedApp, entry.grantId, nowMs);
    const consented = app === null ? null : readJson(connectedApp, app.doc);
    if (entry === null || consented === null) return null;
    return { grant: grantOfApp(consented, scopeIn(entry.doc)), expiresAtMs: entry.expiresAtMs };
  }

  function remember(secret: string, token: KnownToken): void {
    if (known.size >= maxTokens) known.delete(known.keys().next().value!);
    known.set(secret, token);
    timer ??= setInterval(tickOnce, lookEveryMs).unref();
  }

  return {
    remembered(secret, server) {
      const token = known.get(secret);
      if (token === undefined) return undefined;
      const nowMs = now();
      if (token.expiresAtMs <= nowMs || nowMs - lookedAtMs > maxLagMs) return undefined;
      token.usedAtMs = nowMs;
      return callerOn(token, server);
    },

    async check(secret, server, refused) {
      // Nothing that was issued is this long.
      if (secret.length > 200) throw refused(unknownToken);
      if (timer === null || now() - lookedAtMs > maxLagMs) await lookOnce();
      for (let attempts = 1; ; attempts++) {
        const before = { drops, people: people.seq() };
        const nowMs = now();
        const read = await readGrant(secret, nowMs);
        if (read === null) throw refused(unknownToken);
        const token: KnownToken = { ...read, usedAtMs: nowMs, made: null };
        const { grant } = token;
        if (!grant.isFor(server))
          throw grant.kind === entryKinds.personalKey
            ? accessErrors.keyNotForServer()
            : refused('it was issued for another server');
        await people.personAtVersion(grant.personId);
        // If a grant ended or someone changed meanwhile, what was read may be from before that.
        if (attempts < maxAttempts && (before.drops !== drops || before.people !== people.seq())) continue;
        if (before.drops !== drops) throw refused(unknownToken);
        const caller = callerOn(token, server);
        if (caller === undefined) throw refused('the person it was issued to has no access');
        remember(secret, token);
        return caller;
      }
    },

    async recheck() {
      // A look that is under way may have begun too early.
      await looking;
      await lookOnce();
      if (timer !== null) tickOnce();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      stopFollowing();
      stop();
    },
  };
}

const unknownToken = 'it is unknown, expired or revoked';

function scopeIn(doc: string): string {
  const scope = jsonObject(Buffer.from(doc))?.['scope'];
  return typeof scope === 'string' ? scope : '';
}

function grantOfKey({ id, personId, serverIds }: PersonalKey): Grant {
  return {
    kind: entryKinds.personalKey,
    id,
    personId,
    isFor: (server) => takesPersonalKeys(server) && (serverIds?.includes(server.id) ?? true),
    callerOf: personCaller,
  };
}

function grantOfApp(app: ConnectedApp, scope: string): Grant {
  const { kinds, tools } = readScope(scope);
  // The kinds that this token was issued for, of those that were consented to.
  const held = {
    ...app.consent,
    kinds: app.consent.kinds.filter((kind) => kinds.includes(kind)),
    also: tools.length > 0 ? app.consent.also : [],
  };
  return {
    kind: entryKinds.connectedApp,
    id: app.id,
    personId: app.personId,
    isFor: (server) => app.serverId === server.id,
    callerOf: (person, view) => callerWith(held, person, view),
  };
}

function callerWith(held: Consent, person: PersonNow, view: ServerView): Caller {
  const base = personCaller(person);
  if (held.kinds.length === kindScopes.length && held.except.length === 0) return base;
  const toolIds = new Set<string>();
  const single: string[] = [];
  for (const { name, compiled } of view.tools) {
    const tool = { id: compiled.tool.id, kind: kindOf(compiled.tool) };
    if (!isConsented(held, tool)) continue;
    toolIds.add(tool.id);
    if (held.also.includes(tool.id)) single.push(toolScope(name));
  }
  return { ...base, toolIds, toolScopes: [...held.kinds.map(kindScope), ...single] };
}
