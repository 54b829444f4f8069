import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adminToken, type RunningGateway, startGateway } from '../support/running-gateway.ts';

let running: RunningGateway;
beforeEach(async () => {
  running = await startGateway();
});
afterEach(() => running.stop());

const document = (paths: Record<string, unknown>, over: Record<string, unknown> = {}) =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Pets', version: '1' },
    servers: [{ url: 'https://pets.example.com' }],
    paths,
    ...over,
  });

const operation = (operationId: string) => ({ operationId, responses: { 200: { description: 'OK' } } });

describe('a plan', () => {
  it('says what operations do and take, and takes a name that refreshes leave alone', async () => {
    const text = document({
      '/pets/{id}': {
        get: {
          ...operation('getPet'),
          summary: 'Shows a pet.',
          tags: ['pets'],
          parameters: [
            { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
            { name: 'fields', in: 'query', schema: { type: ['string', 'null'] } },
          ],
        },
      },
    });
    const planned = await running.admin('POST', '/imports', { text, dryRun: true });
    expect(planned.body.imports[0]).toMatchObject({
      api: 'pets',
      name: 'Pets',
      report: [
        {
          description: 'Shows a pet.',
          arguments: [
            { name: 'id', type: 'string', required: true },
            { name: 'fields', type: 'string or null', required: false },
          ],
        },
      ],
    });
    await running.admin('POST', '/imports', { text, name: 'My zoo' });
    expect((await running.admin('GET', '/apis/pets')).body.name).toBe('My zoo');
    await running.admin('POST', '/imports', { text, api: 'pets' });
    expect((await running.admin('GET', '/apis/pets')).body.name).toBe('My zoo');
    await running.admin('POST', '/imports', { text, api: 'pets', name: 'Our zoo' });
    expect((await running.admin('GET', '/apis/pets')).body.name).toBe('Our zoo');
  });
});

describe('a description larger than what agents may send', () => {
  const filler = 'wörd '.repeat(1_200_000);

  it('is imported whole, while other routes keep their limit', async () => {
    const text = document({ '/things': { get: operation('listThings') } }, { 'x-filler': filler });
    const imported = await running.admin('POST', '/imports', { text, api: 'large' });
    expect(imported.status).toBe(200);
    expect(imported.body.imports[0].added).toMatchObject([{ tool: 'listThings', operation: 'GET /things' }]);
    const files = [{ name: 'large.json', content: Buffer.from(text).toString('base64') }];
    const again = await running.admin('POST', '/imports', { files, api: 'large' });
    expect(again.body.imports[0].unchanged).toHaveLength(1);

    const other = await running.admin('POST', '/apis', {
      slug: 'x',
      baseUrl: 'https://a.example',
      description: filler,
    });
    expect(other.status).toBe(413);
  });

  it('is refused like a small one when it is not strict JSON', async () => {
    const answer = await fetch(`${running.url}/api/v1/imports`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      body: `{"dryRun":true,"dryRun":false,"text":${JSON.stringify(filler)}}`,
    });
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { detail: 'An object in the body has the same key twice.' },
    ]);
  });

  it('with very many operations is committed as one change', async () => {
    const paths = Object.fromEntries(
      Array.from({ length: 300 }, (_, n) => [`/things-${n}`, { get: operation(`thing_${n}`) }]),
    );
    const { body } = await running.admin('POST', '/imports', { text: document(paths), api: 'many' });
    expect(body.imports[0].added).toHaveLength(300);
    const audit = await running.admin('GET', '/audit?search=thing_299');
    expect(audit.body.items).toMatchObject([
      {
        action: 'api.import',
        subject: { kind: 'api', name: 'many' },
        after: { 'api.create': { count: 1 }, 'tool.create': { count: 300 } },
      },
    ]);
  });

  it('is one line of the audit log, with what it changed', async () => {
    const lines = async () => (await running.admin('GET', '/audit?limit=200')).body.items;
    const before = (await lines()).length;
    const things = { '/one': { get: operation('one') }, '/two': { get: operation('two') } };
    await running.admin('POST', '/imports', { text: document(things), api: 'audited' });
    const changed = {
      '/one': { get: { ...operation('one'), summary: 'Another summary' } },
      '/three': { get: operation('three') },
    };
    await running.admin('POST', '/imports', { text: document(changed), api: 'audited' });
    const [second, first, ...older] = await lines();
    expect(older).toHaveLength(before);
    expect(first).toMatchObject({
      action: 'api.import',
      after: { 'api.create': { names: ['audited'] }, 'tool.create': { names: ['one', 'two'] } },
    });
    expect(second).toMatchObject({
      action: 'api.import',
      subject: { id: first.subject.id, name: 'audited' },
      after: {
        'tool.create': { names: ['three'] },
        'tool.delete': { names: ['two'] },
        'tool.update': { changed: [{ name: 'one', after: { description: expect.any(String) } }] },
      },
    });
  });

  it('is listed in parts that make up the list the protocol library gives', async () => {
    const paths = Object.fromEntries(
      Array.from({ length: 130 }, (_, n) => [`/things-${n}`, { get: operation(`thing_${n}`) }]),
    );
    const whole = await startGateway({ fastLane: false });
    try {
      const lists = [];
      for (const gateway of [running, whole]) {
        await gateway.admin('POST', '/imports', { text: document(paths), api: 'many' });
        const answer = await fetch(`${gateway.url}/mcp`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
          body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/list' }),
        });
        const text = await answer.text();
        lists.push(JSON.parse(text.replace(/^[^{]*/, '')));
      }
      expect(lists[0].result.tools).toHaveLength(131);
      expect(lists[0]).toEqual(lists[1]);
    } finally {
      await whole.stop();
    }
  });
});

describe('a tool that a person deleted', () => {
  const text = document({ '/pets': { get: operation('listPets'), post: operation('addPet') } });

  it('stays away when its document is imported again, until it is chosen by name', async () => {
    await running.admin('POST', '/imports', { text, api: 'pets' });
    await running.admin('DELETE', '/tools/pets%2FaddPet');
    const again = await running.admin('POST', '/imports', { text, api: 'pets' });
    const [plan] = again.body.imports;
    expect([plan.added, plan.removed]).toEqual([[], []]);
    expect(plan.report[1]).toMatchObject({
      operation: 'POST /pets',
      tool: null,
      selected: false,
      notes: [{ code: 'left_out_by_you' }],
    });
    const chosen = await running.admin('POST', '/imports', {
      text,
      api: 'pets',
      select: { names: ['*', 'addPet'] },
    });
    expect(chosen.body.imports[0]).toMatchObject({ added: [{ tool: 'addPet' }], removed: [] });
    const last = await running.admin('POST', '/imports', { text, api: 'pets' });
    expect(last.body.imports[0].unchanged).toHaveLength(2);
  });
});

describe('a document that carries a secret', () => {
  it('is stored in one commit with it', async () => {
    const text = "curl https://pets.example.com/pets -H 'Authorization: Bearer very-secret-token-1'";
    const before = running.gateway.registry.snapshot.seq;
    const { body } = await running.admin('POST', '/imports', { text, api: 'pets' });
    expect(body.imports[0].credentialStored).toBe(true);
    expect(running.gateway.registry.snapshot.seq).toBe(before + 1);
    expect([...running.gateway.registry.snapshot.credentials.values()]).toHaveLength(1);
  });
});

describe('an export of everything', () => {
  async function fill(): Promise<void> {
    await running.admin('POST', '/imports', {
      text: document({ '/pets': { get: operation('list') } }),
      api: 'pets',
    });
    await running.admin('POST', '/imports', {
      text: document({ '/dogs': { get: operation('list'), post: operation('add') } }),
      api: 'dogs',
    });
    await running.admin('PATCH', '/apis/dogs', { headers: { 'X-Api-Key': 'very-secret-1', 'X-App': '1' } });
    await running.admin('POST', '/servers', {
      slug: 'kennel',
      name: 'Kennel',
      instructions: 'Be kind.',
      tools: [{ api: 'dogs' }, { tool: 'pets/list' }, { tag: 'x' }],
      overrides: { 'dogs/add': { name: 'adopt', description: 'Takes a dog in.' } },
      policy: {
        kind: 'oauth',
        issuer: 'https://issuer.example',
        toolScopes: { write: ['dogs/add'] },
      },
      prompts: [{ name: 'greet', arguments: [{ name: 'who' }], text: 'Hello {{who}}' }],
      resources: [{ uri: 'note://a', name: 'a', text: 'A' }],
    });
    await running.admin('POST', '/composed-tools', {
      server: 'kennel',
      name: 'adopt_all',
      description: 'Takes every dog in.',
      inputSchema: { type: 'object', properties: { most: { type: 'integer' } } },
      code: 'for (const dog of await tools.pets.pets_list()) await tools.dogs.adopt();\nreturn input.most;',
    });
  }

  it('gives the same in another installation, servers included, and never a secret', async () => {
    await fill();
    const exported = await running.admin('GET', '/export');
    expect(JSON.stringify(exported.body)).not.toContain('very-secret-1');
    expect(exported.body.servers.map(({ slug }: { slug: string }) => slug)).toEqual(['default', 'kennel']);

    const other = await startGateway();
    try {
      const imported = await other.admin('POST', '/imports', { text: JSON.stringify(exported.body) });
      expect(imported.body.servers).toMatchObject([
        { server: 'default' },
        { server: 'kennel', change: 'added' },
      ]);
      const again = await other.admin('GET', '/export');
      const { 'X-Api-Key': _masked, ...shown } = exported.body.apis[1].headers;
      expect(again.body).toEqual({
        ...exported.body,
        apis: [exported.body.apis[0], { ...exported.body.apis[1], headers: shown }],
      });
    } finally {
      await other.stop();
    }
  });

  it('switches a composed tool off where a tool that it calls is missing', async () => {
    await fill();
    const { body: exported } = await running.admin('GET', '/export');
    const [, kennel] = exported.servers;
    expect(kennel.composedTools).toMatchObject([{ name: 'adopt_all', tools: ['pets/list', 'dogs/add'] }]);
    kennel.composedTools[0].tools.push('cats/feed');
    const { body } = await running.admin('POST', '/imports', { text: JSON.stringify(exported) });
    expect(JSON.stringify(body.servers[1])).toMatch(/adopt_all.* is switched off/);
    const { items } = (await running.admin('GET', '/composed-tools')).body;
    expect(items).toMatchObject([{ name: 'adopt_all', enabled: false, served: false }]);
  });

  it('changes nothing where it came from', async () => {
    await fill();
    const exported = await running.admin('GET', '/export');
    const before = running.gateway.registry.snapshot.seq;
    const { body } = await running.admin('POST', '/imports', { text: JSON.stringify(exported.body) });
    expect(body.servers.map(({ change }: { change: string }) => change)).toEqual(['unchanged', 'unchanged']);
    expect(running.gateway.registry.snapshot.seq).toBe(before);
    expect(running.gateway.registry.snapshot.apiBySlug.get('dogs')!.headers['X-Api-Key']).toBe(
      'very-secret-1',
    );
  });
});
