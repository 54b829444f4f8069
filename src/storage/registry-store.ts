import type { Kysely, Transaction } from 'kysely';
import { adminNameKey } from '../domain/admin.ts';
import { createPace } from '../lib/timing/pace.ts';
import { writeAudit } from './audit-store.ts';
import type { EntityKind, GivenName, RegistryChange, RegistryEntities, RegistryStore } from './ports.ts';
import type { StoreKind, Tables } from './schema.ts';

type EntityTable = 'apis' | 'tools' | 'servers' | 'credentials' | 'access_keys' | 'admins' | 'settings';

interface EntityMapping<E> {
  readonly table: EntityTable;
  /** The columns besides `id` and `doc`. */
  readonly columns: (entity: E) => object;
}

const versionOf = (entity: { readonly revision: number; readonly updatedAtMs: number }) => ({
  revision: entity.revision,
  updated_at_ms: entity.updatedAtMs,
});

const mappings: { readonly [K in EntityKind]: EntityMapping<RegistryEntities[K]> } = {
  api: { table: 'apis', columns: (api) => ({ ...versionOf(api), slug: api.slug }) },
  tool: { table: 'tools', columns: (tool) => ({ ...versionOf(tool), api_id: tool.apiId, name: tool.name }) },
  server: { table: 'servers', columns: (server) => ({ ...versionOf(server), slug: server.slug }) },
  credential: {
    table: 'credentials',
    columns: (credential) => ({
      ...versionOf(credential),
      api_id: credential.apiId,
      caller_id: credential.callerId ?? null,
    }),
  },
  key: { table: 'access_keys', columns: (key) => ({ ...versionOf(key), hash: key.hash }) },
  admin: {
    table: 'admins',
    columns: (admin) => ({ ...versionOf(admin), name_key: adminNameKey(admin.name) }),
  },
  setting: { table: 'settings', columns: () => ({ revision: 1, updated_at_ms: Date.now() }) },
};

const entityKinds = Object.keys(mappings) as EntityKind[];

// SQLite takes at most 32,766 parameters in a statement; short statements also compile faster.
const rowsPerStatement = 400;

// Whole entities are kilobytes each, and writing them must not hold the event loop for long.
const entitiesPerStatement = 50;

/** How many changes the feed keeps. A process that is further behind loads everything again, which is no slower then. */
const feedLength = 20_000;

/** Keeps the registry as one row per entity, a sequence number, and a feed of what changed at which number. */
export function createRegistryStore(
  db: Kysely<Tables>,
  kind: StoreKind,
  onCommitted: (trx: Transaction<Tables>) => Promise<void> = async () => {},
): RegistryStore {
  return {
    load: () =>
      readTransaction(db, async (trx) => {
        const { seq } = await readSeq(trx);
        return {
          seq,
          apis: await readAll(trx, 'api'),
          tools: await readAll(trx, 'tool'),
          servers: await readAll(trx, 'server'),
          credentials: await readAll(trx, 'credential'),
          keys: await readAll(trx, 'key'),
          admins: await readAll(trx, 'admin'),
          settings: await readAll(trx, 'setting'),
          givenNames: (await trx.selectFrom('given_names').selectAll().execute()).map(toGivenName),
        };
      }),

    changesSince: (seq) =>
      readTransaction(db, async (trx) => {
        const now = await readSeq(trx);
        if (seq === now.seq) return { seq, changes: [] };
        // A number from the future means that an older backup was put in place.
        if (seq < now.pruned_seq || seq > now.seq) return null;
        const feed = await trx
          .selectFrom('registry_changes')
          .select(['kind', 'id', 'second_id'])
          .distinct()
          .where('seq', '>', seq)
          .execute();
        const deletions: RegistryChange[] = [];
        const puts: RegistryChange[] = [];
        for (const entityKind of entityKinds) {
          const ids = feed.filter((entry) => entry.kind === entityKind).map((entry) => entry.id);
          const present = await readByIds(trx, entityKind, ids);
          for (const id of ids) {
            const entity = present.get(id);
            if (entity === undefined) deletions.push({ op: 'delete', kind: entityKind, id });
            else puts.push({ op: 'put', kind: entityKind, entity } as RegistryChange);
          }
        }
        const named = feed.filter((entry) => entry.kind === 'given-name');
        const presentNames = await readGivenNames(trx, [...new Set(named.map((entry) => entry.id))]);
        for (const { id: serverId, second_id: toolId } of named) {
          const entity = presentNames.get(pairKey(serverId, toolId));
          if (entity === undefined) deletions.push({ op: 'delete', kind: 'given-name', serverId, toolId });
          else puts.push({ op: 'put', kind: 'given-name', entity });
        }
        return { seq: now.seq, changes: [...deletions, ...puts] };
      }),

    commit: (expectedSeq, changes, audit = []) =>
      db.transaction().execute(async (trx) => {
        const now = await readSeq(trx, kind === 'postgres');
        if (now.seq !== expectedSeq) return null;
        const seq = now.seq + 1;
        const last = lastChangeOfEach(changes);
        await apply(trx, last);
        await writeFeed(trx, last, { ...now, seq });
        await writeAudit(trx, audit);
        await onCommitted(trx);
        return seq;
      }),
  };
}

async function readTransaction<T>(
  db: Kysely<Tables>,
  read: (trx: Transaction<Tables>) => Promise<T>,
): Promise<T> {
  // All tables must be seen at one sequence number.
  return db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read);
}

function readSeq(trx: Transaction<Tables>, lock = false): Promise<Tables['registry_seq']> {
  return trx
    .selectFrom('registry_seq')
    .selectAll()
    .where('id', '=', 1)
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirstOrThrow();
}

async function readAll<K extends EntityKind>(
  trx: Transaction<Tables>,
  kind: K,
): Promise<RegistryEntities[K][]> {
  // Ids sort by the time they were made.
  const rows = await trx.selectFrom(mappings[kind].table).select('doc').orderBy('id').execute();
  return rows.map((row) => JSON.parse(row.doc) as RegistryEntities[K]);
}

async function readByIds<K extends EntityKind>(
  trx: Transaction<Tables>,
  kind: K,
  ids: readonly string[],
): Promise<Map<string, RegistryEntities[K]>> {
  const found = new Map<string, RegistryEntities[K]>();
  const pace = createPace();
  for (const some of chunks(ids, entitiesPerStatement)) {
    await pace();
    const rows = await trx
      .selectFrom(mappings[kind].table)
      .select(['id', 'doc'])
      .where('id', 'in', some)
      .execute();
    for (const row of rows) found.set(row.id, JSON.parse(row.doc) as RegistryEntities[K]);
  }
  return found;
}

async function readGivenNames(
  trx: Transaction<Tables>,
  serverIds: readonly string[],
): Promise<Map<string, GivenName>> {
  const found = new Map<string, GivenName>();
  for (const some of chunks(serverIds)) {
    const rows = await trx.selectFrom('given_names').selectAll().where('server_id', 'in', some).execute();
    for (const row of rows) found.set(pairKey(row.server_id, row.tool_id), toGivenName(row));
  }
  return found;
}

function toGivenName(row: Tables['given_names']): GivenName {
  return { serverId: row.server_id, toolId: row.tool_id, name: row.name };
}

function pairKey(first: string, second: string): string {
  return JSON.stringify([first, second]);
}

/** The ids a change is about: an entity's own, or server and tool of a given name. */
function idsOf(change: RegistryChange): { readonly id: string; readonly secondId: string } {
  if (change.kind === 'given-name') {
    const { serverId, toolId } = change.op === 'put' ? change.entity : change;
    return { id: serverId, secondId: toolId };
  }
  return { id: change.op === 'put' ? change.entity.id : change.id, secondId: '' };
}

function lastChangeOfEach(changes: readonly RegistryChange[]): RegistryChange[] {
  const last = new Map<string, RegistryChange>();
  for (const change of changes) {
    const { id, secondId } = idsOf(change);
    last.set(`${change.kind} ${pairKey(id, secondId)}`, change);
  }
  return [...last.values()];
}

// Every touched row is deleted and the present ones inserted anew: then two entities can swap a
// unique name in one commit, which updating them one after the other would refuse.
async function apply(trx: Transaction<Tables>, changes: readonly RegistryChange[]): Promise<void> {
  const pace = createPace();
  for (const kind of entityKinds) {
    const mapping = mappings[kind] as EntityMapping<RegistryEntities[EntityKind]>;
    const touched = changes.filter((change) => change.kind === kind);
    for (const some of chunks(touched.map((change) => idsOf(change).id))) {
      await trx.deleteFrom(mapping.table).where('id', 'in', some).execute();
      await pace();
    }
    const present = touched.flatMap((change) =>
      change.op === 'put' && change.kind !== 'given-name' ? [change.entity] : [],
    );
    for (const some of chunks(present, entitiesPerStatement)) {
      const rows = some.map((entity) => ({
        id: entity.id,
        doc: JSON.stringify(entity),
        ...mapping.columns(entity),
      }));
      await pace();
      // The mapping made the rows for this very table, which the type of a computed table name cannot say.
      await trx
        .insertInto(mapping.table)
        .values(rows as never)
        .execute();
      await pace();
    }
  }
  for (const change of changes) {
    if (change.kind !== 'given-name') continue;
    const { id, secondId } = idsOf(change);
    await trx.deleteFrom('given_names').where('server_id', '=', id).where('tool_id', '=', secondId).execute();
  }
  const names = changes.flatMap((change) =>
    change.kind === 'given-name' && change.op === 'put' ? [change.entity] : [],
  );
  for (const some of chunks(names)) {
    await trx
      .insertInto('given_names')
      .values(some.map(({ serverId, toolId, name }) => ({ server_id: serverId, tool_id: toolId, name })))
      .execute();
  }
}

async function writeFeed(
  trx: Transaction<Tables>,
  changes: readonly RegistryChange[],
  now: Tables['registry_seq'],
): Promise<void> {
  const entries = changes.map((change, index) => {
    const { id, secondId } = idsOf(change);
    return { position: now.position + 1 + index, seq: now.seq, kind: change.kind, id, second_id: secondId };
  });
  const pace = createPace();
  for (const some of chunks(entries)) {
    await trx.insertInto('registry_changes').values(some).execute();
    await pace();
  }
  const position = now.position + entries.length;

  // A sequence number leaves the feed with all its changes or not at all.
  const cut = await trx
    .selectFrom('registry_changes')
    .select('seq')
    .where('position', '<=', position - feedLength)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (cut) await trx.deleteFrom('registry_changes').where('seq', '<=', cut.seq).execute();
  await trx
    .updateTable('registry_seq')
    .set({ seq: now.seq, position, pruned_seq: cut?.seq ?? now.pruned_seq })
    .where('id', '=', 1)
    .execute();
}

function* chunks<T>(items: readonly T[], size = rowsPerStatement): Generator<T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}
