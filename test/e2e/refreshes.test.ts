import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { createDatabase } from '../support/postgres/postgres.ts';
import { serveHttp } from '../support/servers/http-server.ts';

const operation = (operationId: string) => ({
  operationId,
  description: `Does ${operationId}.`,
  parameters: [{ name: 'X-Tenant', in: 'header', schema: { type: 'string' } }],
  responses: { 200: { description: 'ok' } },
});

/** A document with these operations: `get list` is `GET /list`, named `list`. */
function documentOf(operations: readonly string[]): object {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const written of operations) {
    const [method, name] = written.split(' ') as [string, string];
    paths[`/${name}`] = { [method]: operation(name) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Shelf', version: '1' },
    servers: [{ url: 'http://127.0.0.1:9' }],
    paths,
  };
}

const everything = ['get list', 'get one', 'post add', 'delete drop'];
const withoutDrop = ['get list', 'get one', 'post add'];

describe.each(['sqlite', 'postgres'])('a refresh on %s', (store) => {
  const open: (() => Promise<void>)[] = [];
  let at: TestGateway;
  let url: string;
  let served: readonly string[] = everything;

  beforeEach(async () => {
    served = everything;
    const upstream = await serveHttp((_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(documentOf(served)));
    });
    url = `${upstream.origin}/openapi.json`;
    at = await startGateway({
      egressAllow: ['127.0.0.1'],
      refreshRemovesAtMost: 30,
      ...(store === 'postgres' && {
        databaseUrl: await createDatabase(),
        secretKey: randomBytes(32).toString('base64'),
      }),
    });
    open.push(() => at.close(), upstream.close);
  });
  afterEach(async () => {
    for (const close of open.splice(0)) await close();
  });

  async function ask(method: string, path: string, body?: object) {
    const reply = await at.request(method, `/api/v1${path}`, body);
    expect(reply.statusCode, reply.body).toBeLessThan(300);
    return reply.body === '' ? null : reply.json();
  }
  const importIt = (body: object = {}) => ask('POST', '/imports', { url, ...body });
  async function refresh(operations: readonly string[]) {
    served = operations;
    const { imports } = await ask('POST', '/apis/shelf/refresh', {});
    return imports[0];
  }
  /** Name, and what is to be known about it, of every tool that the admin API lists. */
  async function standing(): Promise<Record<string, string>> {
    const { items } = await ask('GET', '/tools?api=shelf');
    return Object.fromEntries(
      items.map((tool: { name: string; enabled: boolean; waiting: string | null }) => [
        tool.name,
        [tool.enabled ? 'on' : 'off', tool.waiting].filter(Boolean).join(', '),
      ]),
    );
  }
  async function listed(slug = 'default'): Promise<string[]> {
    const view = at.gateway.registry.snapshot.view(slug);
    return view!.tools.map(({ name }) => name).toSorted();
  }

  it('gives a tool back as it was: switched off, edited, fixed, in its servers and under its name there', async () => {
    await importIt({ fix: { 'x-tenant': 'acme' } });
    await ask('PATCH', '/tools/drop', { enabled: false, description: 'Mine.', title: 'Drop it' });
    const { id } = await ask('GET', '/tools/drop');
    await ask('POST', '/servers', {
      slug: 'few',
      tools: [{ tool: id }],
      overrides: { [id]: { name: 'let_go' } },
    });
    const gone = await refresh(withoutDrop);
    expect(gone.removed).toEqual([{ tool: 'drop', operation: 'DELETE /drop', pending: false }]);
    expect(await standing()).toEqual({ list: 'on', one: 'on', add: 'on' });
    expect((await at.request('GET', '/api/v1/tools/drop')).statusCode).toBe(404);
    expect((await ask('GET', '/apis/shelf/removed')).items).toMatchObject([
      { id, tool: 'drop', operation: 'DELETE /drop', enabled: false, edited: true, servers: ['few'] },
    ]);
    expect(await ask('GET', '/apis/shelf')).toMatchObject({ toolCount: 3, removedCount: 1 });

    const back = await refresh(everything);
    expect(back.added).toEqual([{ tool: 'drop', operation: 'DELETE /drop', returns: true, pending: false }]);
    expect(await ask('GET', '/tools/drop')).toMatchObject({
      id,
      enabled: false,
      description: 'Mine.',
      title: 'Drop it',
      operation: { parameters: [{ name: 'X-Tenant', fixed: 'acme' }] },
    });
    expect(await listed('few')).toEqual([]);
    await ask('PATCH', '/tools/drop', { enabled: true });
    expect(await listed('few')).toEqual(['let_go']);
    expect((await ask('GET', '/apis/shelf/removed')).items).toEqual([]);
  });

  it('takes the name of a tool that is gone, and then gives it back under another', async () => {
    await importIt();
    await refresh(withoutDrop);
    await ask('POST', '/tools', {
      api: 'shelf',
      name: 'drop',
      description: 'By hand.',
      operation: { method: 'GET', path: '/by-hand' },
    });
    const { added } = await refresh(everything);
    expect(added).toMatchObject([{ tool: 'drop_2', returns: true }]);
    expect(await ask('GET', '/tools/drop')).toMatchObject({ description: 'By hand.' });
  });

  it('of a watched API lets reads in, and makes everything else wait', async () => {
    await importIt({ watchEveryMs: 3_600_000 });
    const { added } = await refresh([...everything, 'get more', 'put change']);
    expect(added).toEqual([
      { tool: 'more', operation: 'GET /more', returns: false, pending: false },
      { tool: 'change', operation: 'PUT /change', returns: false, pending: true },
    ]);
    expect(await standing()).toMatchObject({ more: 'on', change: 'on, new' });
    expect(await listed()).toEqual(['add', 'drop', 'list', 'more', 'one']);
    expect((await ask('GET', '/apis/shelf/waiting')).items).toMatchObject([
      { tool: 'change', operation: 'PUT /change', kind: 'write', waiting: 'new' },
    ]);
    expect(await ask('GET', '/apis/shelf')).toMatchObject({ pendingCount: 1 });
    // Waiting does not wear off.
    expect(await refresh([...everything, 'get more', 'put change'])).toMatchObject({
      added: [],
      changed: [],
    });
    await ask('POST', '/tools/change/pending', { approve: true });
    expect(await listed()).toContain('change');
    expect(await standing()).toMatchObject({ change: 'on' });
  });

  it('of a watched API makes what returns wait, unless it only reads', async () => {
    await importIt({ watchEveryMs: 3_600_000 });
    await refresh(withoutDrop);
    expect((await refresh(everything)).added).toMatchObject([{ tool: 'drop', returns: true, pending: true }]);
    expect(await listed()).toEqual(['add', 'list', 'one']);
    // Turned down, it stays, switched off, and the next refresh leaves it so.
    await ask('POST', '/apis/shelf/waiting', { approve: false, tools: ['drop'] });
    await refresh(everything);
    expect(await standing()).toMatchObject({ drop: 'off' });
    await refresh(['get one', 'post add', 'delete drop']);
    await refresh(everything);
    expect(await standing()).toMatchObject({ list: 'on', drop: 'off' });
  });

  it('of a watched API takes away more than the set share only when somebody agrees', async () => {
    await importIt({ watchEveryMs: 3_600_000 });
    const first = await refresh(['get list', 'get one']);
    expect(first.removed).toEqual([
      { tool: 'add', operation: 'POST /add', pending: true },
      { tool: 'drop', operation: 'DELETE /drop', pending: true },
    ]);
    expect(first.notes).toContainEqual(expect.objectContaining({ code: 'removal_waits' }));
    expect(await listed()).toEqual(['add', 'drop', 'list', 'one']);
    expect(await refresh(['get list', 'get one'])).toMatchObject({ removed: [] });
    await ask('POST', '/apis/shelf/waiting', { approve: true, tools: ['add'] });
    await ask('POST', '/apis/shelf/waiting', { approve: false });
    expect(await listed()).toEqual(['drop', 'list', 'one']);
    // Kept by a person, it is not asked about again; and what the document has again needs no decision.
    expect(await refresh(['get list', 'get one'])).toMatchObject({ removed: [] });
    expect((await ask('GET', '/apis/shelf/waiting')).items).toEqual([]);
    expect((await refresh(everything)).added).toMatchObject([{ tool: 'add', returns: true, pending: true }]);
    await ask('POST', '/apis/shelf/waiting', { approve: true });
    expect(await listed()).toEqual(['add', 'drop', 'list', 'one']);
    expect((await refresh(withoutDrop)).removed).toEqual([
      { tool: 'drop', operation: 'DELETE /drop', pending: false },
    ]);
  });

  it('makes reads wait as well where changes are approved, but not what was asked for by name', async () => {
    await importIt({ approveChanges: true });
    expect(await listed()).toEqual(['add', 'drop', 'list', 'one']);
    await refresh([...everything, 'get more']);
    expect(await standing()).toMatchObject({ more: 'on, new' });
    served = [...everything, 'get more', 'get other'];
    const named = await importIt({ select: { names: ['*', 'other'] } });
    expect(named.imports[0].added).toMatchObject([{ tool: 'other', pending: false }]);
    expect(await listed()).toEqual(['add', 'drop', 'list', 'one', 'other']);
  });

  it('is remembered by an export, and by a gateway that starts again', async () => {
    await importIt({ watchEveryMs: 3_600_000 });
    const { id } = await ask('GET', '/tools/drop');
    await ask('PATCH', '/tools/drop', { enabled: false });
    await ask('POST', '/servers', { slug: 'few', tools: [{ tool: id }] });
    await refresh([...withoutDrop, 'put change']);
    const exported = await ask('GET', '/export');
    const other = await startGateway({ egressAllow: ['127.0.0.1'] });
    open.unshift(() => other.close());
    const taken = await other.request('POST', '/api/v1/imports', { text: JSON.stringify(exported) });
    expect(taken.statusCode, taken.body).toBe(200);
    at = other;
    expect((await ask('GET', '/apis/shelf/removed')).items).toMatchObject([
      { tool: 'drop', enabled: false, servers: ['few'] },
    ]);
    expect(await standing()).toEqual({ list: 'on', one: 'on', add: 'on', change: 'on, new' });
    expect(await listed()).toEqual(['add', 'list', 'one']);
    await refresh(everything);
    expect(await standing()).toMatchObject({ drop: 'off, returned' });
  });

  it('forgets what it is told to forget, and what belongs to an API that is deleted', async () => {
    await importIt();
    await ask('PATCH', '/tools/drop', { enabled: false });
    await refresh(withoutDrop);
    expect((await at.request('DELETE', '/api/v1/apis/shelf/removed?tools=nothing')).statusCode).toBe(404);
    await ask('DELETE', '/apis/shelf/removed?tools=drop');
    expect((await refresh(everything)).added).toMatchObject([{ tool: 'drop', returns: false }]);
    expect(await standing()).toMatchObject({ drop: 'on' });
    await refresh(withoutDrop);
    await ask('DELETE', '/apis/shelf');
    served = everything;
    await importIt();
    expect(await standing()).toMatchObject({ drop: 'on' });
  });

  it('says what is wrong with a decision about nothing', async () => {
    await importIt();
    const reply = await at.request('POST', '/api/v1/apis/shelf/waiting', { approve: true, tools: ['list'] });
    expect(reply.statusCode).toBe(409);
    expect(reply.json().detail).toBe('Nothing about the tool "list" of "shelf" is waiting for approval.');
    expect((await at.request('POST', '/api/v1/tools/list/pending', { approve: true })).statusCode).toBe(409);
  });
});
