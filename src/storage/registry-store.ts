import type { Transaction } from 'kysely';
import {
  type GivenName,
  givenName,
  type EntityKind,
  readStored,
  type RegistryEntities,
  type SetAsideRow,
} from '../domain/stored/read-stored.ts';
import { packTool } from '../domain/stored/packed-tool.ts';
import { modelNameKey } from '../domain/models/model.ts';
import { isGone } from '../domain/tool.ts';
import { keysOf } from '../lib/json/plain-object.ts';
import { createPace } from '../lib/timing/pace.ts';
import { problemsIn } from '../lib/schema/problems.ts';
import { writeAudit } from './audit-store.ts';
import type { Database, Reader } from './database.ts';
import type { RegistryChange, RegistryStore } from './ports.ts';
import type { StoreKind } from '../domain/settings.ts';
import type { Tables } from './schema.ts';

type EntityTable =
  | 'apis'
  | 'tools'
  | 'servers'
  | 'composed_tools'
  | 'credentials'
  | 'access_keys'
  | 'settings'
  | 'models'
  | 'checks'
  | 'identity_providers'
  | 'api_tokens';

type LookupColumns = Readonly<Record<string, string | null>>;

interface EntityMapping<E> {
  readonly table: EntityTable;
  /** The columns that rows are looked up by: copies of what the entity says. */
  readonly lookup: (entity: E) => LookupColumns;
  /** How an entity is kept in memory, if not as it was read from its text. */
  readonly keep?: (entity: E, text: string) => E;
}

const mappings: { readonly [K in EntityKind]: EntityMapping<RegistryEntities[K]> } = {
  api: { table: 'apis', lookup: (api) => ({ slug: api.slug }) },
  tool: {
    table: 'tools',
    // A tool that is gone holds no name; no tool's name has a colon.
    lookup: (tool) => ({ api_id: tool.apiId, name: isGone(tool) ? `gone:${tool.id}` : tool.name }),
    keep: packTool,
  },
  server: { table: 'servers', lookup: (server) => ({ slug: server.slug }) },
  'composed-tool': {
    table: 'composed_tools',
    lookup: (composed) => ({ server_id: composed.serverId, name: composed.name }),
  },
  credential: {
    table: 'credentials',
    lookup: (credential) => ({ api_id: credential.apiId, caller_id: credential.callerId ?? null }),
  },
  key: { table: 'access_keys', lookup: (key) => ({ hash: key.hash }) },
  setting: { table: 'settings', lookup: () => ({}) },
  model: { table: 'models', lookup: (model) => ({ name_key: modelNameKey(model.name) }) },
  check: { table: 'checks', lookup: (check) => ({ server_id: check.serverId }) },
  'identity-provider': { table: 'identity_providers', lookup: (provider) => ({ slug: provider.slug }) },
  'api-token': { table: 'api_tokens', lookup: (token) => ({ hash: token.hash }) },
};

const entityKinds = keysOf(mappings);

// SQLite takes at most 32,766 parameters in a statement; short statements also compile faster.
const rowsPerStatement = 400;

// Whole entities are kilobytes each, and writing them must not hold the event loop for long.
const entitiesPerStatement = 50;

const rowsPerPage = 1_000;

/** How many changes the feed keeps. A process that is further behind reloads everything, which isn't slower. */
const feedLength = 20_000;

/** Keeps the registry as one row per entity, a sequence number, and a feed of what changed at which number. */
export function createRegistryStore(
  db: Database,
  kind: StoreKind,
  onCommitted: (trx: Transaction<Tables>) => Promise<void> = async () => {},
): RegistryStore {
  return {
    load: () =>
      db.snapshot(async (at) => {
        const { seq } = await readSeq(at);
        const setAside: SetAsideRow[] = [];
        return {
          seq,
          apis: await readAll(at, 'api', setAside),
          tools: await readAll(at, 'tool', setAside),
          servers: await readAll(at, 'server', setAside),
          composedTools: await readAll(at, 'composed-tool', setAside),
          credentials: await readAll(at, 'credential', setAside),
          keys: await readAll(at, 'key', setAside),
          settings: await readAll(at, 'setting', setAside),
          models: await readAll(at, 'model', setAside),
          checks: await readAll(at, 'check', setAside),
          identityProviders: await readAll(at, 'identity-provider', setAside),
          apiTokens: await readAll(at, 'api-token', setAside),
          givenNames: (await at.selectFrom('given_names').selectAll().execute()).flatMap((row) =>
            readGivenName(row, setAside),
          ),
          setAside,
        };
      }),

    changesSince: (seq) =>
      db.snapshot(async (at) => {
        const now = await readSeq(at);
        if (seq === now.seq) return { seq, changes: [], setAside: [] };
        // A number from the future means that an older backup was put in place.
        if (seq < now.pruned_seq || seq > now.seq) return null;
        const feed = await at
          .selectFrom('registry_changes')
          .select(['kind', 'id', 'second_id'])
          .distinct()
          .where('seq', '>', seq)
          .execute();
        const deletions: RegistryChange[] = [];
        const puts: RegistryChange[] = [];
        const setAside: SetAsideRow[] = [];
        for (const entityKind of entityKinds) {
          const ids = feed.filter((entry) => entry.kind === entityKind).map((entry) => entry.id);
          const present = await readByIds(at, entityKind, ids, setAside);
          for (const id of ids) {
            const entity = present.get(id);
            if (entity === undefined) deletions.push({ op: 'delete', kind: entityKind, id });
            else puts.push(putOf(entityKind, entity));
          }
        }
        const named = feed.filter((entry) => entry.kind === 'given-name');
        const presentNames = await readGivenNames(at, [...new Set(named.map((entry) => entry.id))], setAside);
        for (const { id: serverId, second_id: toolId } of named) {
          const entity = presentNames.get(pairKey(serverId, toolId));
          if (entity === undefined) deletions.push({ op: 'delete', kind: 'given-name', serverId, toolId });
          else puts.push({ op: 'put', kind: 'given-name', entity });
        }
        return { seq: now.seq, changes: [...deletions, ...puts], setAside };
      }),

    commit: (expectedSeq, changes, audit = []) =>
      db.write(async (trx) => {
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

function putOf<K extends EntityKind>(kind: K, entity: RegistryEntities[K]): RegistryChange {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- kind and entity are of one K, which TypeScript forgets in a union of kinds
  return { op: 'put', kind, entity } as RegistryChange;
}

function readSeq(at: Reader, lock = false): Promise<Tables['registry_seq']> {
  return at
    .selectFrom('registry_seq')
    .selectAll()
    .where('id', '=', 1)
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirstOrThrow();
}

async function readAll<K extends EntityKind>(
  at: Reader,
  kind: K,
  setAside: SetAsideRow[],
): Promise<RegistryEntities[K][]> {
  const pace = createPace();
  const entities: RegistryEntities[K][] = [];
  // Ids sort by the time they were made. In pages, so that what was read does not have to outlive its page.
  let after: string | undefined;
  for (;;) {
    const rows = await at
      .selectFrom(mappings[kind].table)
      .selectAll()
      .$if(after !== undefined, (query) => query.where('id', '>', after ?? ''))
      .orderBy('id')
      .limit(rowsPerPage)
      .execute();
    for (const row of rows) {
      await pace();
      const entity = readRow(kind, row, setAside);
      if (entity !== null) entities.push(entity);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsPerPage) return entities;
    after = last.id;
  }
}

type EntityRow = Tables[EntityTable];

/** What a row holds; null when it cannot be read, which is noted. A row that says otherwise than its columns is damaged. */
function readRow<K extends EntityKind>(
  kind: K,
  row: EntityRow,
  setAside: SetAsideRow[],
): RegistryEntities[K] | null {
  const read = readStored(kind, row.doc);
  const problems = read.ok ? disagreements(mappings[kind], read.entity, row) : read.problems;
  if (read.ok && problems.length === 0) return mappings[kind].keep?.(read.entity, row.doc) ?? read.entity;
  const { id, doc: _doc, revision: _revision, updated_at_ms: _updated, ...columns } = row;
  setAside.push({ kind, id, columns: textColumns(columns), problems });
  return null;
}

function disagreements<E extends { readonly id: string }>(
  { lookup }: EntityMapping<E>,
  entity: E,
  row: EntityRow,
): { readonly path: string; readonly message: string }[] {
  const columns: Readonly<Record<string, unknown>> = { ...row };
  return Object.entries({ id: entity.id, ...lookup(entity) })
    .filter(([name, value]) => columns[name] !== value)
    .map(([name]) => ({ path: '', message: `does not say the same as its row’s column "${name}"` }));
}

// SQLite keeps whatever was put into a column, whatever its type.
function textColumns(columns: object): LookupColumns {
  return Object.fromEntries(
    Object.entries(columns).map(([name, value]) => [name, value === null ? null : String(value)]),
  );
}

async function readByIds<K extends EntityKind>(
  at: Reader,
  kind: K,
  ids: readonly string[],
  setAside: SetAsideRow[],
): Promise<Map<string, RegistryEntities[K]>> {
  const found = new Map<string, RegistryEntities[K]>();
  const pace = createPace();
  for (const some of chunks(ids, entitiesPerStatement)) {
    await pace();
    const rows = await at.selectFrom(mappings[kind].table).selectAll().where('id', 'in', some).execute();
    for (const row of rows) {
      const entity = readRow(kind, row, setAside);
      if (entity !== null) found.set(row.id, entity);
    }
  }
  return found;
}

async function readGivenNames(
  at: Reader,
  serverIds: readonly string[],
  setAside: SetAsideRow[],
): Promise<Map<string, GivenName>> {
  const found = new Map<string, GivenName>();
  for (const some of chunks(serverIds)) {
    const rows = await at.selectFrom('given_names').selectAll().where('server_id', 'in', some).execute();
    for (const row of rows)
      for (const name of readGivenName(row, setAside)) found.set(pairKey(row.server_id, row.tool_id), name);
  }
  return found;
}

function readGivenName(row: Tables['given_names'], setAside: SetAsideRow[]): GivenName[] {
  const entity = { serverId: row.server_id, toolId: row.tool_id, name: row.name };
  const problems = problemsIn(givenName, entity);
  if (problems.length === 0) return [entity];
  setAside.push({
    kind: 'given-name',
    id: `${row.server_id}/${row.tool_id}`,
    columns: textColumns(row),
    problems,
  });
  return [];
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

// Every changed row is deleted, and those that still exist are inserted again: this way two entities can swap a
// unique name in one commit, which updating them one by one would not allow.
async function apply(trx: Transaction<Tables>, changes: readonly RegistryChange[]): Promise<void> {
  const pace = createPace();
  for (const kind of entityKinds) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- below it sees only what changes of this kind put
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
        revision: 'revision' in entity ? entity.revision : 1,
        updated_at_ms: 'updatedAtMs' in entity ? entity.updatedAtMs : Date.now(),
        ...mapping.lookup(entity),
      }));
      await pace();
      // The mapping made the rows for this very table, which the type of a computed table name cannot say.
      await trx.insertInto(mapping.table).values(rows).execute();
      await pace();
    }
  }
  const namedIn = new Map<string, string[]>();
  for (const change of changes) {
    if (change.kind !== 'given-name') continue;
    const { id, secondId } = idsOf(change);
    const toolIds = namedIn.get(id);
    if (toolIds === undefined) namedIn.set(id, [secondId]);
    else toolIds.push(secondId);
  }
  for (const [serverId, toolIds] of namedIn) {
    for (const some of chunks(toolIds)) {
      await trx
        .deleteFrom('given_names')
        .where('server_id', '=', serverId)
        .where('tool_id', 'in', some)
        .execute();
      await pace();
    }
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
