import type { Actor } from '../../domain/audit.ts';
import { accessErrors } from '../../domain/error-messages/access.ts';
import { newId } from '../../domain/ids.ts';
import {
  maxPersonalKeys,
  type PersonalKey,
  personalKey,
  takesPersonalKeys,
} from '../../domain/personal-key.ts';
import type { Server } from '../../domain/server.ts';
import { readJson } from '../../lib/schema/read-json.ts';
import { auditEntry } from '../../registry/audit-entries.ts';
import type { Snapshot } from '../../registry/snapshot.ts';
import type { AuditStore, GrantStore, StoredGrantEntry } from '../../storage/ports.ts';
import { personCaller, personalKeyPrefix } from '../callers.ts';
import type { PersonNow } from '../people.ts';
import { newSecret } from '../secrets.ts';
import type { ServerRules } from '../server-rules.ts';
import { entryKinds, type GrantedTokens } from './granted-tokens.ts';

/** A personal key, and when it was used last and expires. */
export interface ListedKey extends PersonalKey {
  readonly usedAtMs: number | null;
  readonly expiresAtMs: number;
}

/** The keys that people make for themselves: store rows, never part of the registry. */
export interface PersonalKeys {
  /** Newest first. */
  list(personId: string): Promise<readonly ListedKey[]>;
  /** Creates a key for servers that the person may use now; it is shown once. */
  create(
    person: PersonNow,
    actor: Actor,
    input: {
      readonly name: string;
      /** Slugs; undefined means every server that the person may use, now and later. */
      readonly servers: readonly string[] | undefined;
      readonly lifetimeMs: number;
    },
  ): Promise<{ readonly key: ListedKey; readonly secret: string }>;
  /** Ends a key of this person within a second, everywhere. */
  revoke(person: PersonNow, actor: Actor, id: string): Promise<void>;
  /** The servers that a person may use with a key of their own. */
  serversFor(person: PersonNow): readonly Server[];
}

export function createPersonalKeys({
  grants,
  audit,
  granted,
  rules,
  snapshot,
  now,
}: {
  readonly grants: GrantStore;
  readonly audit: Pick<AuditStore, 'add'>;
  readonly granted: Pick<GrantedTokens, 'recheck'>;
  readonly rules: ServerRules;
  readonly snapshot: () => Pick<Snapshot, 'servers'>;
  readonly now: () => number;
}): PersonalKeys {
  const { personalKey: kind } = entryKinds;

  async function list(personId: string): Promise<readonly ListedKey[]> {
    const options = { nowMs: now(), personId, limit: maxPersonalKeys * 2 };
    return (await grants.list(kind, options)).flatMap((entry) => listedKey(entry) ?? []);
  }

  function mayUse(person: PersonNow, server: Server): boolean {
    if (!server.enabled || !takesPersonalKeys(server)) return false;
    try {
      rules.apply(server, personCaller(person));
      return true;
    } catch {
      return false;
    }
  }

  const serversFor = (person: PersonNow): readonly Server[] =>
    [...snapshot().servers.values()].filter((server) => mayUse(person, server));

  const note = (actor: Actor, action: string, { id, name }: PersonalKey, after?: object) => {
    const entry = auditEntry(actor, now(), action, { kind: 'personal-key', id, label: name });
    return audit.add([after === undefined ? entry : { ...entry, after: JSON.stringify(after) }]);
  };

  return {
    list,

    async create(person, actor, { name, servers: slugs, lifetimeMs }) {
      const open = new Map(serversFor(person).map((server) => [server.slug, server]));
      // The same answer for a server that is closed and one that isn't there.
      const servers = slugs?.map((slug) => {
        const server = open.get(slug);
        if (server === undefined) throw accessErrors.keyServerClosed({ server: slug });
        return server;
      });
      const nowMs = now();
      const { value: secret, hint } = newSecret(personalKeyPrefix);
      const key: PersonalKey = {
        id: newId('key', nowMs),
        personId: person.id,
        name,
        hint,
        createdAtMs: nowMs,
        ...(servers !== undefined && { serverIds: servers.map(({ id }) => id) }),
      };
      const expiresAtMs = nowMs + lifetimeMs;
      await grants.removeEnded(nowMs);
      const tooMany = async () => (await list(person.id)).length > maxPersonalKeys;
      await grants.put({
        name: secret,
        kind,
        grantId: key.id,
        personId: person.id,
        createdAtMs: nowMs,
        expiresAtMs,
        doc: JSON.stringify(key),
      });
      // Counted afterward, so that two at once cannot both be the last.
      if (await tooMany()) {
        await grants.endGrant(key.id);
        throw accessErrors.tooManyPersonalKeys({ max: maxPersonalKeys });
      }
      await note(actor, 'personal_key.create', key, {
        servers: servers?.map(({ slug }) => slug) ?? 'all',
        expiresAt: new Date(expiresAtMs).toISOString(),
      });
      return { key: { ...key, usedAtMs: null, expiresAtMs }, secret };
    },

    async revoke(person, actor, id) {
      const key = (await list(person.id)).find((each) => each.id === id);
      if (key === undefined) throw accessErrors.personalKeyNotFound();
      await grants.endGrant(id);
      await granted.recheck();
      await note(actor, 'personal_key.revoke', key);
    },

    serversFor,
  };
}

/** Null when the row cannot be read: then it gives no access either. */
function listedKey({ doc, usedAtMs, expiresAtMs }: StoredGrantEntry): ListedKey | null {
  const key = readJson(personalKey, doc);
  return key && { ...key, usedAtMs: usedAtMs ?? null, expiresAtMs };
}
