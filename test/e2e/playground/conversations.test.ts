import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminToken, startGateway, type TestGateway } from '../../support/gateway.ts';
import { serveHttp, type TestServer } from '../../support/servers/http-server.ts';
import { type ScriptedModel, startScriptedModel } from '../../support/servers/scripted-model.ts';

const key = 'sk-test-4f9c1e7ab2d84053';
let model: ScriptedModel;
let upstream: TestServer;
let test: TestGateway;
let base: string;

interface SentEvent {
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
}

beforeAll(async () => {
  model = await startScriptedModel(key);
  upstream = await serveHttp((request, response) => {
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ asked: request.url, orders: [{ id: 7, state: 'open' }] }));
  });
  test = await startGateway({ egressAllow: [model.host, new URL(upstream.origin).host] });
  base = await test.gateway.listen();
  const document = {
    openapi: '3.1.0',
    info: { title: 'Shop', version: '1' },
    servers: [{ url: upstream.origin }],
    paths: Object.fromEntries(
      Array.from({ length: 1_000 }, (_, at) => [
        at === 500 ? '/orders' : `/things/${at}`,
        {
          get: {
            operationId: at === 500 ? 'list_orders' : `get_thing_${at}`,
            summary: at === 500 ? 'List the orders of customers' : `Get the thing number ${at}`,
            parameters: [{ name: 'state', in: 'query', schema: { type: 'string' } }],
            responses: { 200: { description: 'Good' } },
          },
        },
      ]),
    ),
  };
  const imported = await test.request('POST', '/api/v1/imports', { text: JSON.stringify(document) });
  expect(imported.statusCode).toBe(200);
  for (const [name, protocol] of [
    ['Open', 'openai'],
    ['Ant', 'anthropic'],
  ] as const) {
    const made = await test.request('POST', '/api/v1/models', {
      name,
      protocol,
      baseUrl: model.url,
      model: 'large',
      key,
      prices: { input: '2', output: '10', currency: 'USD' },
    });
    expect(made.statusCode).toBe(201);
    expect(made.json()).toMatchObject({ name, hasKey: true });
    expect(made.body).not.toContain(key);
  }
}, 60_000);

afterAll(async () => {
  await test.close();
  await Promise.all([model.close(), upstream.close()]);
});

/** Asks, and gives back what was told. */
async function ask(body: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<SentEvent[]> {
  const answer = await fetch(`${base}/api/v1/servers/default/ask`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', text: 'Which orders are open?' }], ...body }),
    ...(signal && { signal }),
  });
  expect(answer.status).toBe(200);
  return eventsIn(await answer.text());
}

function eventsIn(text: string): SentEvent[] {
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('event: '))
    .map((block) => {
      const [first, second] = block.split('\n');
      return { name: first!.slice(7), data: JSON.parse(second!.slice(6)) as SentEvent['data'] };
    });
}

const only = (events: readonly SentEvent[], name: string) =>
  events.filter((event) => event.name === name).map(({ data }) => data);
const textOf = (events: readonly SentEvent[]) =>
  only(events, 'text')
    .map(({ text }) => String(text))
    .join('');

describe.each(['Open', 'Ant'])('a question to %s over a thousand operations', (name) => {
  it('is answered in search mode: searched, called, told, recorded', async () => {
    model.follow([
      { text: 'Let me look.', calls: [{ name: 'search_tools', arguments: { query: 'list orders' } }] },
      { calls: [{ name: 'call_read', arguments: { name: 'list_orders', arguments: { state: 'open' } } }] },
      { text: 'Order 7 — „offen" — is open.', tokens: { input: 1_000, output: 100 } },
    ]);
    const before = model.asked.length;
    const events = await ask({ model: name, mode: 'search' });
    expect(only(events, 'begin')[0]).toMatchObject({ server: 'default', mode: 'search' });
    expect(only(events, 'begin')[0]!['tools']).toEqual(
      expect.arrayContaining(['search_tools', 'describe_tools', 'call_read']),
    );
    expect(textOf(events)).toBe('Let me look.Order 7 — „offen" — is open.');
    expect(only(events, 'call').map((call) => call['name'])).toEqual(['search_tools', 'call_read']);
    const [searched, called] = only(events, 'called');
    expect(String(searched!['text'])).toContain('list_orders(');
    expect(called).toMatchObject({
      ok: true,
      calls: [
        {
          tool: 'list_orders',
          outcome: 'ok',
          status: 200,
          steps: expect.arrayContaining([expect.anything()]),
        },
      ],
    });
    expect(String(called!['text'])).toContain('state=open');
    const [end] = only(events, 'end');
    expect(end).toMatchObject({
      reason: 'answered',
      text: 'Order 7 — „offen" — is open.',
      tokens: { input: 1_200, output: 120 },
      turns: 3,
    });
    expect(end!['cost']).toBeCloseTo((1_200 * 2 + 120 * 10) / 1e6, 10);
    // What tools replied was given back to the model.
    const questions = model.asked.slice(before);
    expect(questions.at(-1)!.said.at(-1)).toMatch(/^tool: .*state=open/);
    expect(questions.every(({ tools }) => tools.length < 20)).toBe(true);
    const children = await test.request('GET', `/api/v1/calls?parent=${String(end!['runId'])}`);
    expect(children.json()).toMatchObject({ items: [{ toolName: 'list_orders', outcome: 'ok' }] });
    const record = await test.request('GET', `/api/v1/calls/${String(end!['runId'])}`);
    expect(record.json()).toMatchObject({ toolName: 'ask_model', outcome: 'ok' });
  });

  it('is answered in code mode, with the calls of the script below it', async () => {
    const code = 'const { orders } = await tools.shop.list_orders({ state: "open" }); return orders.length;';
    model.follow([{ calls: [{ name: 'run_code', arguments: { code } }] }, { text: 'One order is open.' }]);
    const events = await ask({ model: name, mode: 'code' });
    const [called] = only(events, 'called');
    expect(called).toMatchObject({ ok: true, text: '1' });
    expect((called!['calls'] as { tool: string }[]).map(({ tool }) => tool)).toEqual([
      'run_code',
      'list_orders',
    ]);
    const [end] = only(events, 'end');
    const children = await test.request('GET', `/api/v1/calls?parent=${String(end!['runId'])}`);
    expect(children.json()).toMatchObject({ items: [{ toolName: 'run_code' }] });
    expect(end).toMatchObject({ reason: 'answered', text: 'One order is open.' });
  });

  it('goes on with what was said before', async () => {
    model.follow([{ text: 'First.' }]);
    const [end] = only(await ask({ model: name }), 'end');
    model.follow([{ text: 'Second.' }]);
    const question = { role: 'user', text: 'Which orders are open?' };
    await ask({
      model: name,
      messages: [question, ...(end!['messages'] as []), { role: 'user', text: 'And?' }],
    });
    expect(model.asked.at(-1)!.said).toEqual([
      'user: Which orders are open?',
      'assistant: First.',
      'user: And?',
    ]);
  });

  it.each<[string, Parameters<ScriptedModel['follow']>[0], RegExp]>([
    [
      'too many questions',
      [
        {
          refuses: {
            status: 429,
            body: { error: { message: 'slow down' } },
            headers: { 'retry-after': '7' },
          },
        },
      ],
      /HTTP 429.*Try again in 7 s.*slow down/,
    ],
    ['its own failure', [{ refuses: { status: 500, body: '<html>' } }], /failed \(HTTP 500\)/],
    [
      'a model that it does not know',
      [{ refuses: { status: 404, body: { error: { message: 'no such model' } } } }],
      /model "large".*no such model/,
    ],
    ['words that are no JSON', [{ text: 'One two', ends: 'malformed' }], /not JSON/],
    ['an end in the middle', [{ text: 'One two', ends: 'broken off' }], /stopped in the middle/],
    [
      'an error in the middle',
      [{ text: 'One two', ends: 'with an error' }],
      /ended its answer with an error: Overloaded/,
    ],
  ])('tells of %s in a sentence', async (_what, plan, sentence) => {
    model.follow(plan);
    const events = await ask({ model: name });
    expect(only(events, 'error')[0]!['message']).toMatch(sentence);
    expect(only(events, 'end')[0]).toMatchObject({ reason: 'failed' });
  });

  it('takes an answer that is one document', async () => {
    model.follow([
      { calls: [{ name: 'call_read', arguments: { name: 'list_orders' } }], ends: 'as a document' },
      { text: 'Whole.', ends: 'as a document' },
    ]);
    expect(only(await ask({ model: name, mode: 'search' }), 'end')[0]).toMatchObject({
      text: 'Whole.',
      turns: 2,
    });
  });

  it('tells the model of arguments that are no JSON, and of a tool that is not there', async () => {
    model.follow([
      {
        calls: [
          { name: 'call_read', arguments: '{"name": ' },
          { name: 'no_such_tool', arguments: {} },
        ],
      },
      { text: 'Sorry.' },
    ]);
    const events = await ask({ model: name, mode: 'search' });
    expect(only(events, 'called').map(({ ok, text }) => [ok, text])).toEqual([
      [false, expect.stringContaining('not a JSON object')],
      [false, expect.stringContaining('no_such_tool')],
    ]);
    expect(only(events, 'end')[0]).toMatchObject({ reason: 'answered' });
  });

  it('ends where its turns or its tokens are used up', async () => {
    const plan = () => ({ calls: [{ name: 'search_tools', arguments: { query: 'orders' } }] });
    model.follow(plan);
    expect(only(await ask({ model: name, mode: 'search', maxTurns: 3 }), 'end')[0]).toMatchObject({
      reason: 'turns',
      turns: 3,
    });
    expect(only(await ask({ model: name, mode: 'search', maxTokens: 200 }), 'end')[0]).toMatchObject({
      reason: 'tokens',
      turns: 2,
    });
  });

  it('stops when whoever asked goes away, and leaves the endpoint alone', async () => {
    const waiting = await startScriptedModel(key);
    await test.request('PATCH', '/api/v1/settings', { egressAllow: [waiting.host] });
    const added = await test.request('POST', '/api/v1/models', {
      name: `Slow ${name}`,
      protocol: name === 'Open' ? 'openai' : 'anthropic',
      baseUrl: waiting.url,
      model: 'slow',
      key,
    });
    expect(added.statusCode).toBe(201);
    waiting.follow([{ text: 'Well now', ends: 'hangs' }]);
    const stop = new AbortController();
    const answer = await fetch(`${base}/api/v1/servers/default/ask`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: `Slow ${name}`, messages: [{ role: 'user', text: 'Hm?' }] }),
      signal: stop.signal,
    });
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    let told = '';
    while (!told.includes('Well')) told += (await reader.read()).value ?? '';
    stop.abort();
    await waiting.left;
    await waiting.close();
    await expect
      .poll(
        async () =>
          (await test.request('GET', '/api/v1/calls?tool=ask_model&limit=1')).json<{
            items: { outcome: string }[];
          }>().items[0]?.outcome,
        { timeout: 20_000 },
      )
      .toBe('cancelled');
  });
});

describe('the key of a model', () => {
  it('is refused by the endpoint in a sentence that does not repeat it', async () => {
    const wrong = 'sk-wrong-0c4e8f6b5a7d9e21';
    const made = await test.request('POST', '/api/v1/models', {
      name: 'Wrong',
      protocol: 'openai',
      baseUrl: model.url,
      model: 'large',
      key: wrong,
    });
    expect(made.statusCode).toBe(201);
    const events = await ask({ model: 'Wrong' });
    expect(only(events, 'error')[0]!['message']).toMatch(/rejected the key of "Wrong" \(HTTP 401\)/);
    expect(JSON.stringify(events)).not.toContain(wrong);
  });

  it('stands in no answer, record, audit line, export, file or event, even where the model says it', async () => {
    model.follow([
      {
        text: `The key is ${key}, they say.`,
        calls: [{ name: 'call_read', arguments: { name: 'list_orders', arguments: { state: key } } }],
      },
      { text: `It is ${key}.` },
    ]);
    const events = await ask({ model: 'Open', mode: 'search' });
    expect(only(events, 'end')[0]).toMatchObject({ reason: 'answered' });
    const told = [
      JSON.stringify(events),
      ...(await Promise.all(
        [
          'models',
          'calls?limit=500',
          'audit?limit=500',
          'export',
          'calls/export?format=json',
          'openapi.json',
        ].map(async (path) => (await test.request('GET', `/api/v1/${path}`)).body),
      )),
    ];
    for (const text of told) expect(text.includes(key)).toBe(false);
    expect(told.every((text) => text.length > 2)).toBe(true);
  });

  it('goes to the address that it was entered for, and must be entered again for another', async () => {
    const made = await test.request('POST', '/api/v1/models', {
      name: 'Moving',
      protocol: 'openai',
      baseUrl: model.url,
      model: 'large',
      key,
    });
    const { id, revision } = made.json<{ id: string; revision: number }>();
    const moved = await test.request('PATCH', `/api/v1/models/${id}`, {
      baseUrl: 'https://elsewhere.example.com',
    });
    expect([moved.statusCode, moved.json<{ detail: string }>().detail]).toEqual([
      422,
      expect.stringContaining('is not sent anywhere else'),
    ]);
    const kept = await test.request(
      'PATCH',
      `/api/v1/models/${id}`,
      { model: 'small' },
      {
        authorization: `Bearer ${adminToken}`,
        'if-match': `"${revision}"`,
      },
    );
    expect(kept.json()).toMatchObject({ model: 'small', hasKey: true, revision: revision + 1 });
    const stale = await test.request(
      'PATCH',
      `/api/v1/models/${id}`,
      { model: 'tiny' },
      {
        authorization: `Bearer ${adminToken}`,
        'if-match': `"${revision}"`,
      },
    );
    expect(stale.statusCode).toBe(412);
    const twice = await test.request('POST', '/api/v1/models', {
      name: ' moving',
      protocol: 'openai',
      baseUrl: model.url,
      model: 'large',
    });
    expect(twice.statusCode).toBe(409);
    expect((await test.request('DELETE', `/api/v1/models/${id}`)).statusCode).toBe(204);
  });

  it('is sealed anew with the master key', async () => {
    const rotated = await test.request('POST', '/api/v1/credentials/rotate-key', {});
    expect(rotated.statusCode).toBe(200);
    model.follow([{ text: 'Still here.' }]);
    expect(textOf(await ask({ model: 'Open' }))).toBe('Still here.');
  });
});

it('asks no private address that nobody allowed', async () => {
  await test.request('PATCH', '/api/v1/settings', { egressAllow: null });
  await test.request('POST', '/api/v1/models', {
    name: 'Inside',
    protocol: 'openai',
    baseUrl: 'http://127.0.0.1:9/v1',
    model: 'x',
  });
  const [error] = only(await ask({ model: 'Inside' }), 'error');
  expect(error).toMatchObject({ code: 'egress_refused' });
});
