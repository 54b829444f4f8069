import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { callRecord } from '../../../test/support/call-record.ts';
import { api, put } from '../../../test/support/store-contract/entities.ts';
import { writeCalls } from '../../../test/support/write-calls.ts';
import { fullPerson } from '../../../test/support/nouns/examples.ts';
import type { AuditEntry } from '../../domain/audit.ts';
import { openStore } from '../open-store.ts';
import type { Store, StoredReply } from '../ports.ts';
import { RollupSums } from '../roll-up.ts';
import { databaseFile } from './data-folder.ts';
import { openSqlite } from './driver.ts';

const root = mkdtempSync(join(tmpdir(), 'handrail-lock-'));
let made = 0;
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 10 }));

type Parts = {
  [
    P in keyof Store as Store[P] extends object
      ? Store[P] extends (...given: never[]) => unknown
        ? never
        : P
      : never
  ]: Store[P];
};

const reply = (id: string): StoredReply => ({
  id,
  callerId: 'key:1',
  createdAtMs: 1,
  expiresAtMs: 1_000,
  bytes: 3,
  head: Buffer.from([1]),
});
const session = (hash: string) => ({
  hash,
  personId: 'person_1',
  createdAtMs: 1,
  lastSeenAtMs: 1,
  expiresAtMs: 1_000,
  address: '127.0.0.1',
  userAgent: '',
});
const entry: AuditEntry = {
  id: `audit_${'1'.padStart(26, '0')}`,
  atMs: 1,
  actorId: 'admin_1',
  actorLabel: 'Ada',
  address: null,
  action: 'tool.update',
  subjectKind: 'tool',
  subjectId: null,
  subjectLabel: null,
  before: null,
  after: null,
};
const scriptRun = (id: string) => ({ id, head: '{}', process: 'one', startedAtMs: 1 });
const effect = (callId: string) => ({ callId, tool: 'pay', beganAtMs: 1 });
const checkRun = (id: string) => ({ id, serverId: 'srv_1', startedAtMs: 1, text: '{}' });
const importJob = (id: string, revision = 1) => ({ id, revision, updatedAtMs: 1, text: '{}' });
const grantEntry = (name: string) => ({
  name,
  kind: 'AccessToken',
  grantId: `grant ${name}`,
  personId: 'p1',
  createdAtMs: 1,
  expiresAtMs: 1_000,
  doc: '{}',
});
const factor = (n: number, kind: 'totp' | 'recovery' = 'totp') => {
  const id = `factor_${n}`;
  const doc = { id, personId: fullPerson.id, kind, name: 'phone', createdAtMs: 1 };
  return { factor: doc, lookup: `lookup ${n}`, usedAtMs: null, mark: 1 };
};
const account = (name: string) => ({
  id: `acct_${name}`,
  revision: 1,
  createdAtMs: 1,
  updatedAtMs: 1,
  apiId: `api_${name}`,
  personId: 'person_1',
  callerId: 'person:person_1',
  name: 'Shop',
  kind: 'bearer' as const,
  fields: ['token'],
  origins: ['https://api.example.com'],
  sealed: 'v1.a.b.c',
});
const sums = () => {
  const added = new RollupSums();
  added.add(callRecord(1));
  return added.take();
};

/** Gives every writing method something to change. */
async function fill(store: Store): Promise<void> {
  await writeCalls(store.calls, [callRecord(1), callRecord(2)]);
  await store.rollups.add(sums());
  await store.meta.set('there', 'before');
  await store.audit.add([{ ...entry, id: `audit_${'2'.padStart(26, '0')}` }]);
  await store.leases.claim('there', 'one', 600_000);
  await store.sessions.add(session('there'));
  await store.people.change(async () => ({
    changes: [{ op: 'put', kind: 'person', entity: fullPerson }],
    audit: [],
    result: null,
  }));
  await store.keptReplies.put(reply('there'), [Buffer.from([1, 2, 3])]);
  await store.scriptJournal.intend(scriptRun('there'), effect('there'));
  await store.scriptJournal.intend(scriptRun('ended'), effect('ended'));
  await store.scriptJournal.end('ended', 2);
  await store.checkRuns.put(checkRun('there'), 10);
  await store.importJobs.add(importJob('there'), {});
  await store.grants.put(grantEntry('there'));
  await store.factors.add(factor(1), 10, [factor(2, 'recovery')]);
  await store.accounts.put(account('there'), null);
}

const reads = 'reads';

/** Every method of every part of a store: whether it reads, or how it writes. */
const methods: {
  [P in keyof Parts]: { [M in keyof Parts[P]]: typeof reads | ((store: Store) => Promise<unknown>) };
} = {
  registry: {
    load: reads,
    changesSince: reads,
    commit: (store) => store.registry.commit(0, [put.api(api('api_0'))], [entry]),
  },
  calls: {
    newBatch: reads,
    get: reads,
    find: reads,
    count: reads,
    unreadable: reads,
    write: (store) => writeCalls(store.calls, [callRecord(3)]),
    purge: (store) => store.calls.purge(callRecord(2).startedAtMs, 10),
    dropContents: (store) => store.calls.dropContents(0, callRecord(2).startedAtMs),
    maintain: async (store) => {
      await writeCalls(store.calls, [callRecord(4)]);
      await store.calls.maintain();
    },
  },
  rollups: {
    find: reads,
    sumByName: reads,
    findErrors: reads,
    add: (store) => store.rollups.add(sums()),
    purge: (store) => store.rollups.purge('day', Number.MAX_SAFE_INTEGER),
  },
  meta: {
    get: reads,
    getAll: reads,
    set: (store) => store.meta.set('there', 'after'),
    setIfAbsent: (store) => store.meta.setIfAbsent('new', 'after'),
    setAll: (store) => store.meta.setAll([['there', 'after']]),
    delete: (store) => store.meta.delete('there'),
  },
  leases: {
    claim: (store) => store.leases.claim('new', 'one', 600_000),
    release: (store) => store.leases.release('there', 'one'),
  },
  people: {
    present: reads,
    seq: reads,
    get: reads,
    byIdentity: reads,
    byName: reads,
    byInvitation: reads,
    list: reads,
    count: reads,
    hasPasswords: reads,
    groups: reads,
    unreadable: reads,
    noteSignIn: (store) => store.people.noteSignIn('person_1', 5),
    change: (store) =>
      store.people.change(async () => ({
        changes: [{ op: 'delete', kind: 'person', id: 'person_1' }],
        audit: [],
        result: null,
      })),
  },
  sessions: {
    get: reads,
    listOf: reads,
    add: (store) => store.sessions.add(session('new')),
    touch: (store) => store.sessions.touch('there', 2),
    remove: (store) => store.sessions.remove('there'),
    removeAllOf: (store) => store.sessions.removeAllOf('person_1'),
    removeExpired: (store) => store.sessions.removeExpired(1_000),
  },
  audit: {
    find: reads,
    actors: reads,
    add: (store) => store.audit.add([entry]),
    purge: (store) => store.audit.purge(Number.MAX_SAFE_INTEGER, 10),
    chain: reads,
    linesAfter: reads,
    unchained: reads,
  },
  keptReplies: {
    get: reads,
    part: reads,
    usage: reads,
    put: (store) => store.keptReplies.put(reply('new'), [Buffer.from([1, 2, 3])]),
    begin: (store) => store.keptReplies.begin(reply('new')),
    addPart: (store) => store.keptReplies.addPart('there', 1, Buffer.from([4])),
    finish: (store) => store.keptReplies.finish('there', { head: Buffer.from([2]), expiresAtMs: 2_000 }),
    remove: (store) => store.keptReplies.remove('there'),
    removeEnded: (store) => store.keptReplies.removeEnded(1_000, 1_000),
    removeAllOf: (store) => store.keptReplies.removeAllOf('key:1'),
  },
  scriptJournal: {
    unended: reads,
    effectsOf: reads,
    intend: (store) => store.scriptJournal.intend(scriptRun('new'), effect('new')),
    settle: (store) => store.scriptJournal.settle('there', 'done'),
    end: (store) => store.scriptJournal.end('there', 3),
    claim: (store) => store.scriptJournal.claim('there', 'one', 'two'),
    removeBefore: (store) => store.scriptJournal.removeBefore(2),
  },
  checkRuns: {
    get: reads,
    listOf: reads,
    put: (store) => store.checkRuns.put(checkRun('new'), 10),
    removeAllOf: (store) => store.checkRuns.removeAllOf('srv_1'),
  },
  importJobs: {
    get: reads,
    content: reads,
    list: reads,
    add: (store) => store.importJobs.add(importJob('new'), {}),
    replace: (store) => store.importJobs.replace(importJob('there', 2)),
    remove: (store) => store.importJobs.remove(['there']),
  },
  accounts: {
    find: reads,
    get: reads,
    listOf: reads,
    list: reads,
    put: (store) => store.accounts.put(account('new'), null),
    remove: (store) => store.accounts.remove('person_1', 'api_there', []),
    removeOfApi: (store) => store.accounts.removeOfApi('api_there'),
    removeOrphans: (store) => store.accounts.removeOrphans(),
  },
  grants: {
    get: reads,
    find: reads,
    list: reads,
    count: reads,
    epoch: reads,
    standing: reads,
    put: (store) => store.grants.put(grantEntry('new')),
    consume: (store) => store.grants.consume('AccessToken', 'there', 5),
    touch: (store) => store.grants.touch('AccessToken', 'grant there', 5),
    prolong: (store) => store.grants.prolong('AccessToken', 'grant there', 5_000),
    remove: (store) => store.grants.remove('AccessToken', 'there'),
    endGrant: (store) => store.grants.endGrant('grant there'),
    endGrantsOf: (store) => store.grants.endGrantsOf('p1'),
    removeEnded: (store) => store.grants.removeEnded(2_000),
  },
  factors: {
    listOf: reads,
    byLookup: reads,
    kindsOf: reads,
    allOf: reads,
    add: (store) => store.factors.add(factor(3), 10, []),
    replaceRecovery: (store) => store.factors.replaceRecovery(fullPerson.id, [factor(4, 'recovery')]),
    use: (store) => store.factors.use({ id: 'factor_1', mark: 2, usedAtMs: 3 }),
    replace: (store) => store.factors.replace({ ...factor(1).factor, name: 'new' }, factor(1).factor),
    spend: (store) => store.factors.spend(fullPerson.id, 'lookup 2'),
    remove: (store) => store.factors.remove(fullPerson.id, 'factor_1'),
    removeAllOf: (store) => store.factors.removeAllOf(fullPerson.id),
  },
};

const writes = Object.entries(methods).flatMap(([part, ofPart]) =>
  Object.entries<typeof reads | ((store: Store) => Promise<unknown>)>(ofPart).flatMap(([name, method]) =>
    method === reads ? [] : [[`${part}.${name}`, method] as const],
  ),
);

/** Every row that another connection sees. */
function rowsIn(dataDir: string): Record<string, unknown[]> {
  const connection = openSqlite(databaseFile(dataDir));
  const tables = connection.run("select name from sqlite_schema where type = 'table' order by name", []).rows;
  const rows = (tables as { name: string }[]).map(({ name }) => [
    name,
    connection.run(`select * from "${name}"`, []).rows,
  ]);
  connection.close();
  return Object.fromEntries(rows) as Record<string, unknown[]>;
}

describe('while another process holds the write lock', () => {
  test.each(writes)('%s waits, and everything is committed afterwards', async (_name, write) => {
    const dataDir = join(root, String(made++));
    const store = await openStore({ dataDir });
    await fill(store);
    const before = rowsIn(dataDir);

    const other = openSqlite(databaseFile(dataDir));
    other.exec('begin immediate');
    let isDone = false;
    const written = write(store).then(() => (isDone = true));
    // Several times as long as a statement waits for the lock before SQLite gives up on it.
    await sleep(60);
    expect(isDone).toBe(false);
    other.exec('commit');
    other.close();
    await written;

    const after = rowsIn(dataDir);
    expect(after).not.toEqual(before);
    const { seq } = await store.registry.load();
    expect(await store.registry.commit(seq, [put.api(api('api_1'))])).toBe(seq + 1);
    await writeCalls(store.calls, [callRecord(10), callRecord(11)]);
    const seen = rowsIn(dataDir);
    expect(seen['apis']).toContainEqual(expect.objectContaining({ id: 'api_1' }));
    expect(seen['call_segments']).toContainEqual(expect.objectContaining({ max_id: callRecord(11).id }));
    await store.close();
    expect(rowsIn(dataDir)).toEqual(seen);
  });
});
