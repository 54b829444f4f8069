import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { modelNameKey } from '../../../src/domain/models/model.ts';
import { type EntityKind, storedNouns } from '../../../src/domain/stored/read-stored.ts';
import { isObject } from '../../../src/lib/json/plain-object.ts';
import { serveHandrail } from '../../support/command.ts';
import { editRows, type Place, type RawRows } from '../../support/edit-rows.ts';
import { adminToken, startGateway, type TestGateway } from '../../support/gateway.ts';
import { examples } from '../../support/nouns/examples.ts';
import { mutationsOf } from '../../support/nouns/mutations.ts';
import { createDatabase } from '../../support/postgres/postgres.ts';

const secretKey = Buffer.alloc(32, 7).toString('base64');

type Kind = Exclude<EntityKind, 'setting'>;

interface HostileRow {
  readonly kind: Kind;
  readonly id: string;
  readonly what: string;
  readonly doc: string;
  readonly columns: Readonly<Record<string, string | null>>;
}

const tables: Readonly<Record<Kind, string>> = {
  api: 'apis',
  tool: 'tools',
  server: 'servers',
  'composed-tool': 'composed_tools',
  credential: 'credentials',
  key: 'access_keys',
  model: 'models',
  check: 'checks',
  'identity-provider': 'identity_providers',
  'api-token': 'api_tokens',
};

/** What a row says about itself and what its columns repeat; each row has names of its own. */
function identityOf(kind: Kind, n: number, apiId: string) {
  const slug = `h-${n}`;
  const name = `h_${n}`;
  const callerId = `c${n}`;
  const hash = `hash${n}`;
  const all: Readonly<Record<Kind, readonly [Record<string, string>, Record<string, string>]>> = {
    api: [{ slug }, { slug }],
    tool: [
      { apiId, name },
      { api_id: apiId, name },
    ],
    server: [{ slug }, { slug }],
    'composed-tool': [
      { serverId: `srv_${n}`, name },
      { server_id: `srv_${n}`, name },
    ],
    credential: [
      { apiId, callerId },
      { api_id: apiId, caller_id: callerId },
    ],
    key: [{ hash }, { hash }],
    model: [{ name }, { name_key: modelNameKey(name) }],
    check: [{ serverId: `srv_${n}` }, { server_id: `srv_${n}` }],
    'identity-provider': [{ slug }, { slug }],
    'api-token': [{ hash }, { hash }],
  };
  const [names, columns] = all[kind];
  return { id: `${kind.replaceAll('-', '')}_hostile${n}`, names, columns };
}

/** Every noun with one thing wrong in every place, as rows that could stand in one database. */
function hostileRows(apiId: string): HostileRow[] {
  const seen = new Set<EntityKind>();
  const wrong = examples.flatMap(([, kind, example]) => {
    if (kind === 'setting') return [];
    // What several examples of a kind share is tried once.
    const isFirst = !seen.has(kind);
    seen.add(kind);
    return mutationsOf(storedNouns[kind], example)
      .filter(({ path }) => isFirst || /^\/(?:auth|policy)/.test(path))
      .map((mutation) => ({ kind, ...mutation }));
  });
  return wrong.map(({ kind, what, path, document }, n) => {
    const { id, names, columns } = identityOf(kind, n, apiId);
    const [, field] = path.split('/');
    const own = Object.entries({ id, ...names }).filter(([name]) => name !== field);
    if (isObject(document))
      for (const [name, value] of own)
        if (Object.hasOwn(document, name)) Object.assign(document, { [name]: value });
    return { kind, id, what: `${path}: ${what}`, doc: JSON.stringify(document), columns };
  });
}

async function insert(rows: RawRows, { kind, id, doc, columns }: HostileRow): Promise<void> {
  const names = ['id', 'revision', 'updated_at_ms', 'doc', ...Object.keys(columns)];
  await rows.run(
    `insert into ${tables[kind]} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`,
    [id, 1, 1, doc, ...Object.values(columns)],
  );
}

describe.each([
  ['SQLite', async (): Promise<Place> => ({ dataDir: await mkdtemp(join(tmpdir(), 'handrail-rows-')) })],
  ['PostgreSQL', async (): Promise<Place> => ({ databaseUrl: await createDatabase() })],
])('rows that were edited in %s', (_store, makePlace) => {
  let place: Place;
  let hostile: HostileRow[];
  let scratch: string;

  const start = (): Promise<TestGateway> => startGateway({ dataDir: scratch, secretKey, ...place });

  beforeAll(async () => {
    place = await makePlace();
    scratch = 'dataDir' in place ? place.dataDir : await mkdtemp(join(tmpdir(), 'handrail-rows-'));
    const first = await start();
    const api = await first.request('POST', '/api/v1/apis', {
      slug: 'good',
      baseUrl: 'https://api.example.com',
    });
    expect(api.statusCode).toBe(201);
    const tool = {
      api: 'good',
      name: 'fine',
      description: 'Is fine.',
      operation: { method: 'GET', path: '/' },
    };
    expect((await first.request('POST', '/api/v1/tools', tool)).statusCode).toBe(201);
    await first.close();
    hostile = hostileRows(api.json<{ id: string }>().id);
    await editRows(place, async (rows) => {
      await rows.run('begin');
      for (const row of hostile) await insert(rows, row);
      await rows.run('commit');
    });
  });
  afterAll(() => rm(scratch, { recursive: true, force: true, maxRetries: 10 }));

  test('are at least five hundred, of every kind', () => {
    expect(hostile.length).toBeGreaterThan(500);
    expect(new Set(hostile.map(({ kind }) => kind)).size).toBe(10);
  });

  test('are set aside with a place and a sentence, and everything else is served', async () => {
    const gateway = await start();
    const { rows } = gateway.gateway.registry.snapshot.setAside;
    const told = new Map(rows.map((row) => [row.id, row]));
    expect(hostile.filter(({ id }) => !told.has(id)).map(({ what }) => what)).toEqual([]);
    expect(told.size).toBe(hostile.length);
    const badlyTold = rows.filter(
      ({ problems }) =>
        problems.length === 0 ||
        problems.some(({ path, message }) => !/^(?:\/|$)/.test(path) || !/^[a-z].{3,}/.test(message)),
    );
    expect(badlyTold).toEqual([]);
    const apis = await gateway.request('GET', '/api/v1/apis');
    expect(apis.json<{ items: { slug: string }[] }>().items.map(({ slug }) => slug)).toEqual(['good']);
    for (const path of [
      'tools',
      'servers',
      'credentials',
      'keys',
      'people',
      'groups',
      'overview',
      'tool-index',
      'audit',
      'export',
    ])
      expect((await gateway.request('GET', `/api/v1/${path}`)).statusCode, path).toBe(200);
    const listed = await gateway.request('GET', '/mcp/tools/list');
    expect(listed.body).toContain('fine');
    await gateway.close();
  });

  test('stay as they are, whatever else is written, and are set aside again', async () => {
    const before = await start();
    const edited = await before.request('PATCH', '/api/v1/apis/good', { name: 'Better' });
    expect(edited.statusCode).toBe(200);
    const made = await before.request('POST', '/api/v1/keys', { name: 'new' });
    expect(made.statusCode).toBe(201);
    await before.close();
    const docs = await editRows(place, async (rows) => {
      const all: Record<string, unknown>[] = [];
      for (const table of Object.values(tables))
        all.push(...(await rows.run(`select id, doc from ${table}`)));
      return new Map(all.map(({ id, doc }) => [id, doc]));
    });
    expect(hostile.filter(({ id, doc }) => docs.get(id) !== doc)).toEqual([]);
    const after = await start();
    expect(after.gateway.registry.snapshot.setAside.rows).toHaveLength(hostile.length);
    await after.close();
  });

  test('let the program start, live and start again', async () => {
    const env = {
      HANDRAIL_ADMIN_TOKEN: adminToken,
      HANDRAIL_SECRET_KEY: secretKey,
      HANDRAIL_DEMO: 'false',
      HANDRAIL_LOG_LEVEL: 'silent',
    };
    const args = 'dataDir' in place ? ['--data-dir', place.dataDir] : ['--data-dir', scratch];
    const database: Record<string, string> =
      'databaseUrl' in place ? { DATABASE_URL: place.databaseUrl } : {};
    for (let time = 0; time < 2; time++) {
      const running = await serveHandrail(args, { ...env, ...database });
      const answer = await fetch(`${running.url}/api/v1/set-aside`, {
        headers: { authorization: `Bearer ${adminToken}` },
      });
      expect(((await answer.json()) as { total: number }).total).toBe(hostile.length);
      running.child.kill('SIGTERM');
      expect(await running.exited).toBe(0);
    }
  });
});
