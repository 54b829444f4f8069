import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runHandrail } from '../../support/command.ts';
import { adminToken, startGateway, type TestGateway } from '../../support/gateway.ts';
import { serveHttp, type TestServer } from '../../support/servers/http-server.ts';
import {
  type ModelPlan,
  type ScriptedModel,
  startScriptedModel,
} from '../../support/servers/scripted-model.ts';

interface Run {
  readonly id: string;
  readonly state: string;
  readonly variants: readonly {
    readonly of: string;
    readonly version: string;
    readonly passed: number;
    readonly total: number;
    readonly results: readonly { name: string; passed: boolean; problems: string[]; answer: string }[];
  }[];
}

let model: ScriptedModel;
let upstream: TestServer;
let test: TestGateway;
let base: string;

/** Calls what the description of a tool says is for orders, as a model would that reads descriptions. */
const byDescription: ModelPlan = ({ body, turn, said }) => {
  if (turn % 2 === 1) return { text: `I found ${said.at(-1)}` };
  const { tools } = body as { tools: { function: { name: string; description: string } }[] };
  const right = tools.find((tool) => tool.function.description.includes('orders'));
  return { calls: [{ name: right?.function.name ?? 'get_ping', arguments: { state: 'open' } }] };
};

beforeAll(async () => {
  model = await startScriptedModel();
  upstream = await serveHttp((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"orders":[{"id":7}]}');
  });
  test = await startGateway({ egressAllow: [model.host, new URL(upstream.origin).host] });
  base = await test.gateway.listen();
  const operation = (operationId: string, summary: string) => ({
    get: {
      operationId,
      summary,
      parameters: [{ name: 'state', in: 'query', schema: { type: 'string' } }],
      responses: { 200: { description: 'Good' } },
    },
  });
  const document = {
    openapi: '3.1.0',
    info: { title: 'Shop', version: '1' },
    servers: [{ url: upstream.origin }],
    paths: {
      '/orders': operation('list_orders', 'Lists the orders of customers'),
      '/ping': operation('get_ping', 'Says that it lives'),
    },
  };
  const imported = await test.request('POST', '/api/v1/imports', {
    api: 'shop',
    text: JSON.stringify(document),
  });
  expect(imported.statusCode).toBe(200);
  const added = await test.request('POST', '/api/v1/models', {
    name: 'Scripted',
    protocol: 'openai',
    baseUrl: model.url,
    model: 'x',
  });
  expect(added.statusCode).toBe(201);
});

afterAll(async () => {
  await test.close();
  await Promise.all([model.close(), upstream.close()]);
});

async function addCheck(name: string, expectation: unknown): Promise<string> {
  const made = await test.request('POST', '/api/v1/servers/default/checks', {
    name,
    question: 'Which orders are open?',
    mode: 'direct',
    expect: expectation,
  });
  expect(made.statusCode).toBe(201);
  return made.json<{ id: string }>().id;
}

async function removeChecks(): Promise<void> {
  const { items } = (await test.request('GET', '/api/v1/servers/default/checks')).json<{
    items: { id: string }[];
  }>();
  for (const { id } of items) await test.request('DELETE', `/api/v1/checks/${id}`);
}

async function runChecks(body: Readonly<Record<string, unknown>> = {}): Promise<Run> {
  const begun = await test.request('POST', '/api/v1/servers/default/check-runs', {
    model: 'Scripted',
    ...body,
  });
  expect(begun.statusCode).toBe(202);
  return ended(begun.json<Run>().id);
}

async function ended(id: string): Promise<Run> {
  for (;;) {
    const run = (await test.request('GET', `/api/v1/check-runs/${id}`)).json<Run>();
    if (run.state !== 'running') return run;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('checks', () => {
  it('pass and fail by what was called, with what, what was said and what it took', async () => {
    await removeChecks();
    model.follow(byDescription);
    await addCheck('good', {
      calls: [{ tool: 'list_orders', arguments: { state: 'open' } }],
      text: ['"ID":7'],
      maxTokens: 1_000,
      maxCalls: 1,
    });
    await addCheck('bad', {
      calls: [{ tool: 'get_ping' }, { tool: 'list_orders', arguments: { state: 'closed' } }],
      notCalled: ['list_orders'],
      text: ['nothing'],
      maxTokens: 10,
      maxCalls: 0,
    });
    const { state, variants } = await runChecks();
    expect([state, variants[0]!.passed, variants[0]!.total]).toEqual(['ended', 1, 2]);
    const [good, bad] = variants[0]!.results;
    expect(good).toMatchObject({ name: 'good', passed: true, problems: [] });
    expect(bad!.problems).toEqual([
      'get_ping was not called.',
      'list_orders was called, but never with {"state":"closed"}: it was called with {"state":"open"}.',
      'list_orders was called, but must not be.',
      'The answer does not say "nothing".',
      'It used 220 tokens; the limit is 10.',
      'It made 1 call; the limit is 0.',
    ]);
  });

  it('tell a draft of descriptions from what is published, and write nothing', async () => {
    await removeChecks();
    model.follow(byDescription);
    await addCheck('orders', { calls: [{ tool: 'list_orders' }] });
    const before = test.gateway.registry.snapshot;
    const { variants } = await runChecks({ draft: { descriptions: { list_orders: 'Lists things' } } });
    expect(variants.map(({ of, passed, total }) => [of, passed, total])).toEqual([
      ['published', 1, 1],
      ['draft', 0, 1],
    ]);
    expect(variants[0]!.version).not.toBe(variants[1]!.version);
    expect(test.gateway.registry.snapshot).toBe(before);
    const wrong = await test.request('POST', '/api/v1/servers/default/check-runs', {
      model: 'Scripted',
      draft: { descriptions: { list_order: 'x' } },
    });
    expect([wrong.statusCode, wrong.json<{ detail: string }>().detail]).toEqual([
      422,
      expect.stringContaining('Did you mean list_orders'),
    ]);
  });

  it('tell an import from what is published, before it is applied', async () => {
    await removeChecks();
    model.follow(byDescription);
    await addCheck('orders', { calls: [{ tool: 'list_orders' }] });
    const document = {
      openapi: '3.1.0',
      info: { title: 'Shop', version: '2' },
      servers: [{ url: upstream.origin }],
      paths: {
        '/orders': {
          get: {
            operationId: 'list_orders',
            summary: 'Gives a list',
            responses: { 200: { description: 'Good' } },
          },
        },
        '/ping': {
          get: {
            operationId: 'get_ping',
            summary: 'Says that it lives',
            responses: { 200: { description: 'Good' } },
          },
        },
      },
    };
    const { variants } = await runChecks({
      draft: { import: { api: 'shop', text: JSON.stringify(document) } },
    });
    expect(variants.map(({ passed }) => passed)).toEqual([1, 0]);
    const tool = await test.request('GET', '/api/v1/tools/shop%2Flist_orders');
    expect(tool.body).toContain('Lists the orders of customers');
  });

  it('regress where a description becomes worse, and the history says with which version', async () => {
    await removeChecks();
    model.follow(byDescription);
    const server = (await test.request('GET', '/api/v1/servers/default')).json<{ id: string }>();
    await addCheck('orders', { calls: [{ tool: 'list_orders' }] });
    const good = await runChecks();
    const tool = (await test.request('GET', '/api/v1/tools/shop%2Flist_orders')).json<{ id: string }>();
    const changed = await test.request('PATCH', `/api/v1/tools/${tool.id}`, { description: 'Lists things' });
    expect(changed.statusCode).toBe(200);
    const bad = await runChecks();
    await test.request('PATCH', `/api/v1/tools/${tool.id}`, { description: 'Lists the orders of customers' });
    const again = await runChecks();
    const history = await test.request('GET', `/api/v1/servers/${server.id}/check-runs?limit=3`);
    expect(
      history.json<{ items: Run[] }>().items.map(({ variants: [one] }) => [one!.version, one!.passed]),
    ).toEqual([
      [good.variants[0]!.version, 1],
      [bad.variants[0]!.version, 0],
      [good.variants[0]!.version, 1],
    ]);
    expect(again.variants[0]!.version).toBe(good.variants[0]!.version);
  });

  it('leave no history when their server is deleted', async () => {
    const made = await test.request('POST', '/api/v1/servers', { slug: 'brief', tools: [{ all: true }] });
    const { id } = made.json<{ id: string }>();
    const { checkRuns } = test.gateway.store;
    await checkRuns.put({ id: 'run_brief', serverId: id, startedAtMs: 1, text: '{}' }, 10);
    const check = await test.request('POST', '/api/v1/servers/brief/checks', {
      name: 'x',
      question: 'y',
      expect: { text: ['z'] },
    });
    expect((await test.request('DELETE', '/api/v1/servers/brief')).statusCode).toBe(204);
    expect(await checkRuns.listOf(id, 10)).toEqual([]);
    expect((await test.request('GET', `/api/v1/checks/${check.json<{ id: string }>().id}`)).statusCode).toBe(
      404,
    );
  });

  it('fail with the words of an endpoint that refuses', async () => {
    await removeChecks();
    model.follow([{ refuses: { status: 500, body: {} } }]);
    await addCheck('orders', { calls: [{ tool: 'list_orders' }] });
    const { variants } = await runChecks();
    expect(variants[0]!.results[0]!.problems[0]).toMatch(/failed \(HTTP 500\)/);
  });

  it('say nothing about a server whose model could not be asked', async () => {
    await removeChecks();
    model.follow([{ refuses: { status: 401, body: { error: { message: 'no such key' } } } }]);
    await addCheck('orders', { calls: [{ tool: 'list_orders' }] });
    const { variants } = await runChecks();
    expect(variants[0]).toMatchObject({ passed: 0, total: 0, notRun: 1 });
  });

  it('can be stopped, and are not run twice at once', async () => {
    await removeChecks();
    model.follow([{ text: 'Well', ends: 'hangs' }]);
    await addCheck('orders', { text: ['x'] });
    const begun = await test.request('POST', '/api/v1/servers/default/check-runs', { model: 'Scripted' });
    const { id } = begun.json<Run>();
    const twice = await test.request('POST', '/api/v1/servers/default/check-runs', { model: 'Scripted' });
    expect(twice.statusCode).toBe(409);
    const stopped = await test.request('POST', `/api/v1/check-runs/${id}/stop`);
    expect(stopped.json()).toMatchObject({
      state: 'stopped',
      variants: [{ passed: 0, total: 0, notRun: 1 }],
    });
  });

  it.each<[string, unknown, RegExp]>([
    ['nothing that must happen', {}, /must say what is expected/],
    ['a name that no tool can have', { calls: [{ tool: 'no such' }] }, /must be 1 to 64/],
    ['a field that there is not', { text: ['x'], says: 'y' }, /says/],
  ])('are refused with %s', async (_what, expectation, words) => {
    const refused = await test.request('POST', '/api/v1/servers/default/checks', {
      name: 'x',
      question: 'y',
      expect: expectation,
    });
    expect([refused.statusCode, refused.json<{ detail: string }>().detail]).toEqual([
      422,
      expect.stringMatching(words),
    ]);
  });
});

describe('handrail check', () => {
  async function handrail(...words: string[]): Promise<{ code: number | null; out: string; err: string }> {
    const args = [...words, '--url', base, '--admin-token', adminToken];
    const { code, stdout, stderr } = await runHandrail(args);
    return { code, out: stdout.trimEnd(), err: stderr };
  }

  it('ends with 0 where all pass, with 1 where one fails', async () => {
    await removeChecks();
    model.follow(byDescription);
    await addCheck('orders', { calls: [{ tool: 'list_orders' }] });
    const good = await handrail('check', 'default');
    expect([good.code, good.out]).toEqual([
      0,
      expect.stringMatching(/^pass {2}orders .*\n1 of 1 pass with Scripted/),
    ]);
    await addCheck('silent', { maxCalls: 0 });
    const bad = await handrail('check', 'default');
    expect([bad.code, bad.out]).toEqual([1, expect.stringContaining('It made 1 call; the limit is 0.')]);
    const one = await handrail('check', 'default', '--check', 'orders', '--json');
    expect([one.code, (JSON.parse(one.out) as Run).variants[0]!.total]).toEqual([0, 1]);
  });

  it('ends with 1 where a draft loses what passes', async () => {
    await removeChecks();
    model.follow(byDescription);
    await addCheck('orders', { calls: [{ tool: 'list_orders' }] });
    const file = join(test.dataDir, 'draft.json');
    await writeFile(file, JSON.stringify({ descriptions: { list_orders: 'Lists things' } }));
    const lost = await handrail('check', 'default', '--draft', file);
    expect([lost.code, lost.out]).toEqual([1, expect.stringContaining('The draft breaks: orders')]);
    await writeFile(file, JSON.stringify({ instructions: 'Be kind.' }));
    expect((await handrail('check', 'default', '--draft', file)).code).toBe(0);
  });

  it('adds, lists and deletes models', async () => {
    const added = await handrail(
      'models',
      'add',
      'Local',
      '--base-url',
      model.url,
      '--model',
      'y',
      '--keyless',
    );
    expect([added.code, added.out]).toEqual([0, 'Local: added']);
    expect((await handrail('check', 'default')).err).toMatch(/choose a model/);
    expect((await handrail('models')).out).toMatch(/Local +openai .*none/);
    expect((await handrail('models', 'delete', 'local')).code).toBe(0);
  });
});
