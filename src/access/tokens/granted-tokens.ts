import type { Caller } from '../../domain/call.ts';
import {
  type ConnectedApp,
  connectedApp,
  isConsented,
  kindScope,
  kindScopes,
  readScope,
  toolScope,
} from '../../domain/connected-app.ts';
import type { Server } from '../../domain/server.ts';
import { kindOf, type ToolKind } from '../../domain/tool.ts';
import { readJson } from '../../lib/schema/read-json.ts';
import type { ServerView } from '../../registry/snapshot.ts';
import type { GrantStore } from '../../storage/ports.ts';
import { personCaller, type PersonTokens } from '../callers.ts';
import type { People, PersonNow } from '../people.ts';
import { jsonObject } from './issuer-metadata.ts';
import { tokenNeededError } from './token-audience.ts';

/** The kinds of entries that the authorization server and the check of its tokens share. */
export const entryKinds = { accessToken: 'AccessToken', connectedApp: 'ConnectedApp' } as const;

/** The check of such tokens, and what keeps it up to date. */
export interface GrantedTokens extends PersonTokens {
  /** Looks for grants that have ended; for the process that ended one, so that it needn't wait. */
  recheck(): Promise<void>;
  close(): void;
}

interface KnownToken {
  readonly app: ConnectedApp;
  /** The kinds that this token was issued for, of those that were consented to. */
  readonly kinds: readonly ToolKind[];
  readonly hasTools: boolean;
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
const noteUseEveryMs = 60_000;

/** Creates the check of one process. */
export function createGrantedTokens(options: {
  readonly grants: GrantStore;
  readonly viewOf: (slug: string) => ServerView | undefined;
  readonly people: Pick<People, 'known' | 'personAtVersion'>;
  readonly now: () => number;
}): GrantedTokens {
  const { grants, viewOf, people, now } = options;
  // By the token itself: hashing it for each call would cost more than everything else here.
  const known = new Map<string, KnownToken>();
  const noted = new Map<string, number>();
  let epoch: string | null = null;
  let lookedAtMs = 0;
  let timer: NodeJS.Timeout | null = null;
  let looking: Promise<void> | null = null;

  /** Drops what has ended in any process. One small read, unless a grant has ended somewhere. */
  async function look(): Promise<void> {
    const beganAtMs = now();
    const current = await grants.epoch();
    if (epoch !== current) {
      const ids = [...new Set([...known.values()].map(({ app }) => app.id))];
      const standing = await grants.standing(entryKinds.connectedApp, ids, beganAtMs);
      for (const [secret, { app }] of known) if (!standing.has(app.id)) known.delete(secret);
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
    for (const [secret, token] of known) {
      if (token.expiresAtMs <= nowMs || token.usedAtMs + idleMs <= nowMs) known.delete(secret);
      else {
        // A disk that is full must not end anyone's access.
        await noteUse(token).catch(() => {});
        // Read again after a change of anyone, so that streams needn't end.
        if (people.known(token.app.personId) === undefined) await people.personAtVersion(token.app.personId);
      }
    }
    if (known.size === 0) {
      stop();
      return;
    }
    await lookOnce();
  }

  async function noteUse({ app, usedAtMs }: KnownToken): Promise<void> {
    if (usedAtMs - (noted.get(app.id) ?? 0) < noteUseEveryMs) return;
    if (noted.size >= maxTokens) noted.clear();
    noted.set(app.id, usedAtMs);
    await grants.touch(entryKinds.connectedApp, app.id, usedAtMs);
  }

  function stop(): void {
    if (timer !== null) clearInterval(timer);
    timer = null;
    epoch = null;
  }

  function callerOn(token: KnownToken, server: Server): Caller | undefined {
    const { app } = token;
    // Neither removed, nor changed since they were read.
    const person = app.serverId === server.id ? people.known(app.personId) : null;
    const view = viewOf(server.slug);
    if (person === undefined || person === null || view === undefined) return undefined;
    if (token.made?.view !== view || token.made.person !== person)
      token.made = { view, person, caller: makeCaller(token, person, view) };
    return token.made.caller;
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

    async check(secret, server, challenge) {
      // Nothing that was issued is this long.
      if (secret.length > 200) throw tokenNeededError(challenge, unknownToken);
      if (timer === null || now() - lookedAtMs > maxLagMs) await lookOnce();
      const nowMs = now();
      const entry = await grants.get(entryKinds.accessToken, secret, nowMs);
      const app =
        entry?.grantId === undefined ? null : await grants.get(entryKinds.connectedApp, entry.grantId, nowMs);
      const consented = app === null ? null : readJson(connectedApp, app.doc);
      if (entry === null || consented === null) throw tokenNeededError(challenge, unknownToken);
      const { kinds, tools } = readScope(scopeIn(entry.doc));
      const token: KnownToken = {
        app: consented,
        kinds: consented.consent.kinds.filter((kind) => kinds.includes(kind)),
        hasTools: tools.length > 0,
        expiresAtMs: entry.expiresAtMs,
        usedAtMs: nowMs,
        made: null,
      };
      if (consented.serverId !== server.id)
        throw tokenNeededError(challenge, 'it was issued for another server');
      await people.personAtVersion(consented.personId);
      const caller = callerOn(token, server);
      if (caller === undefined)
        throw tokenNeededError(challenge, 'the person it was issued to has no access');
      if (known.size >= maxTokens) known.delete(known.keys().next().value!);
      known.set(secret, token);
      timer ??= setInterval(() => void tick().catch(() => {}), lookEveryMs).unref();
      return caller;
    },

    async recheck() {
      // A look that is under way may have begun too early.
      await looking;
      await lookOnce();
    },
    close: stop,
  };
}

const unknownToken = 'it is unknown, expired or revoked';

function scopeIn(doc: string): string {
  const scope = jsonObject(Buffer.from(doc))?.['scope'];
  return typeof scope === 'string' ? scope : '';
}

function makeCaller(token: KnownToken, person: PersonNow, view: ServerView): Caller {
  const { consent } = token.app;
  const held = { ...consent, kinds: token.kinds, also: token.hasTools ? consent.also : [] };
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
