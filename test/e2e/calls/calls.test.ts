import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGateway, type TestGateway } from '../../support/gateway.ts';
import { serveHttp, type TestServer } from '../../support/servers/http-server.ts';

interface ShownCall {
  readonly id: string;
  readonly toolName: string;
  readonly outcome: string;
  readonly outputTokens: number;
  readonly steps: { readonly name: string; readonly note?: string }[];
}

describe('calls, analytics and settings', () => {
  let at: TestGateway;
  let upstream: TestServer;
  let url: string;

  beforeAll(async () => {
    let flaky = 0;
    upstream = await serveHttp((req, res) => {
      const bad = req.url === '/bad' || (req.url === '/flaky' && flaky++ === 0);
      res.writeHead(bad ? 503 : 200, { 'content-type': 'application/json', 'retry-after': '0' });
      res.end(JSON.stringify({ text: '=SUM(A1)', path: req.url }));
    });
    at = await startGateway({ egressAllow: ['127.0.0.1'] });
    url = await at.gateway.listen();
    await at.request('POST', '/api/v1/apis', { slug: 'one', baseUrl: upstream.origin });
    for (const [name, path] of [
      ['good', '/good'],
      ['bad', '/bad'],
      ['flaky', '/flaky'],
    ]) {
      await at.request('POST', '/api/v1/tools', {
        api: 'one',
        name,
        description: name,
        operation: { method: 'GET', path },
        limits: { retries: name === 'flaky' ? 2 : 0 },
      });
    }
    for (const name of ['good', 'good', 'bad', 'flaky']) await call(name);
  });
  afterAll(async () => {
    await at.close();
    await upstream.close();
  });

  const call = (name: string) => at.request('POST', `/api/v1/tools/${name}/call`, { arguments: {} });
  const list = async (query: string) =>
    (await at.request('GET', `/api/v1/calls?${query}`)).json<{
      items: ShownCall[];
      total: number;
      totalIsExact: boolean;
    }>();

  test('tells one call’s whole story: its steps, the tries that failed, its size in tokens', async () => {
    const [shown] = (await list('tool=flaky')).items;
    const { steps, outputTokens } = (await at.request('GET', `/api/v1/calls/${shown!.id}`)).json<ShownCall>();
    expect(steps.map((step) => step.name)).toEqual(['prepare', 'try', 'wait', 'send', 'shape']);
    expect(steps[1]!.note).toBe('HTTP 503');
    expect(outputTokens).toBeGreaterThan(0);
  });

  test('finds calls by tool, outcome, status, surface, caller and text', async () => {
    expect((await list('outcome=error')).items.map((item) => item.toolName)).toEqual(['bad']);
    expect((await list('status=200&tool=good')).total).toBe(2);
    expect((await list('surface=mcp')).items).toEqual([]);
    expect((await list('caller=admin:token')).total).toBe(4);
    expect(await list('text=%2Fflaky')).toMatchObject({ total: 1, totalIsExact: true });
  });

  test('exports everything that matches as CSV that no spreadsheet runs, as JSON and as lines', async () => {
    const csv = await at.request('GET', '/api/v1/calls/export?tool=good');
    expect(csv.headers['content-disposition']).toMatch(/^attachment; filename="handrail-calls-.*\.csv"$/);
    const [header, ...lines] = csv.payload.trimEnd().split('\r\n');
    expect(header).toContain('started_at,tool,');
    expect(lines).toHaveLength(2);
    const json = await at.request('GET', '/api/v1/calls/export?format=json');
    expect(json.json<unknown[]>()).toHaveLength(4);
    const ndjson = await at.request('GET', '/api/v1/calls/export?format=ndjson&tool=bad');
    expect(
      ndjson.payload
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as ShownCall).toolName),
    ).toEqual(['bad']);
  });

  test('follows calls as they are recorded', async () => {
    const leave = new AbortController();
    const answer = await fetch(`${url}/api/v1/calls/tail?tool=good`, {
      headers: { authorization: 'Bearer a-token-for-tests-only' },
      signal: leave.signal,
    });
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    const events = answer.body!.pipeThrough(new TextDecoderStream());
    await call('bad');
    await call('good');
    let text = '';
    for await (const piece of events) {
      text += piece;
      if (text.includes('event: call')) break;
    }
    leave.abort();
    expect(text).toContain('"toolName":"good"');
    expect(text).not.toContain('"toolName":"bad"');
  });

  test('adds calls up over time and by tool, with percentiles and a map of errors', async () => {
    const answer = await at.request('GET', '/api/v1/analytics?range=15m&by=tool');
    const found = answer.json<{
      totals: { calls: number; errors: number; outputTokens: number; latency: { p50Ms: number } };
      series: { calls: number }[];
      groups: { name: string; calls: number }[];
      errorMap: { rows: { name: string; errors: number[] }[] };
    }>();
    expect(found.totals.calls).toBeGreaterThanOrEqual(4);
    expect(found.totals.errors).toBeGreaterThanOrEqual(1);
    expect(found.totals.latency.p50Ms).toBeGreaterThan(0);
    expect(found.series.reduce((sum, point) => sum + point.calls, 0)).toBe(found.totals.calls);
    expect(found.groups.map((group) => group.name).toSorted()).toEqual(['bad', 'flaky', 'good']);
    expect(found.errorMap.rows.map((row) => row.name)).toEqual(['bad']);
    for (const range of ['1h', '6h', '24h', '7d', '30d', '90d', '1y']) {
      const wider = await at.request('GET', `/api/v1/analytics?range=${range}&by=outcome`);
      expect(wider.json<{ totals: { calls: number } }>().totals.calls).toBe(found.totals.calls);
    }
    const pivot = (await at.request('GET', '/api/v1/analytics/pivot?range=24h')).json<{
      tools: string[];
      cells: { calls: number }[][];
    }>();
    expect(pivot.tools.toSorted()).toEqual(['bad', 'flaky', 'good']);
    for (const [column, tool] of pivot.tools.entries()) {
      const calls = pivot.cells.reduce((sum, row) => sum + row[column]!.calls, 0);
      expect([tool, calls]).toEqual([tool, found.groups.find(({ name }) => name === tool)!.calls]);
    }
    const one = await at.request('GET', '/api/v1/analytics?range=1h&by=tool&name=bad');
    expect(one.json<{ totals: { errors: number; calls: number } }>().totals).toMatchObject({
      errors: found.errorMap.rows[0]!.errors.reduce((sum, count) => sum + count, 0),
    });
  });

  test('sums the installation up for the home page', async () => {
    for (let i = 0; i < 3; i++) {
      await call('bad');
      await call('good');
      await at.request('POST', '/api/v1/tools/good/call', { arguments: { nope: 1 } });
    }
    const overview = (await at.request('GET', '/api/v1/overview')).json<{
      counts: object;
      topTools: { name: string }[];
      attention: { kind: string; subject: string }[];
    }>();
    expect(overview.counts).toMatchObject({ apis: 1, tools: 3 });
    expect(overview.topTools.map((tool) => tool.name)).toContain('good');
    // More calls to the other one, but fewer of them failed.
    const failing = overview.attention.filter(({ kind }) => kind === 'failing-tool');
    expect(failing.map(({ subject }) => subject)).toEqual(['bad', 'good']);
  });

  test('tells pages of a change that somebody made', async () => {
    const leave = new AbortController();
    const answer = await fetch(`${url}/api/v1/events`, {
      headers: { authorization: 'Bearer a-token-for-tests-only' },
      signal: leave.signal,
    });
    const events = answer.body!.pipeThrough(new TextDecoderStream());
    await at.request('PATCH', '/api/v1/tools/good', { title: 'Good' });
    let text = '';
    for await (const piece of events) {
      text += piece;
      if (text.includes('event: change')) break;
    }
    leave.abort();
    expect(text).toMatch(/"kind":"tool","op":"put","id":"tool_/);
    expect(text).toContain('"by":{"id":"token","name":"admin token"}');
  });

  test('takes settings at once: where APIs may be called, limits, what is recorded', async () => {
    const first = (await at.request('GET', '/api/v1/settings')).json<{ revision: number }>();
    const update = (body: object, revision?: number) =>
      at.request('PATCH', '/api/v1/settings', body, {
        authorization: 'Bearer a-token-for-tests-only',
        ...(revision !== undefined && { 'if-match': `"${revision}"` }),
      });
    const bad = await update({ egressAllow: ['not a network!'] });
    expect(bad.statusCode).toBe(422);
    const done = await update(
      { egressAllow: ['10.0.0.0/8'], limits: { totalTimeoutMs: 1_234 }, recordContents: false },
      first.revision,
    );
    expect(done.json()).toMatchObject({
      egressAllow: ['10.0.0.0/8'],
      effectiveLimits: { totalTimeoutMs: 1_234 },
      recordContents: false,
    });
    expect((await update({ recordContents: true }, first.revision)).statusCode).toBe(412);
    const { compiled } = at.gateway.registry.snapshot;
    expect([...compiled.values()].every((tool) => tool.limits.totalTimeoutMs === 1_234)).toBe(true);
    await call('good');
    const [latest] = (await list('limit=1')).items as unknown as { arguments: unknown }[];
    expect(latest!.arguments).toBeNull();
    await update({ egressAllow: null, limits: null, recordContents: null });
    expect((await at.request('GET', '/api/v1/settings')).json()).toMatchObject({
      egressAllow: [],
      limits: {},
      recordContents: true,
    });
  });

  test('lets an owner allow a private address without a restart, and take that back', async () => {
    const closed = await startGateway();
    try {
      await closed.request('POST', '/api/v1/apis', { slug: 'one', baseUrl: upstream.origin });
      await closed.request('POST', '/api/v1/tools', {
        api: 'one',
        name: 'good',
        description: 'good',
        operation: { method: 'GET', path: '/good' },
      });
      const outcome = async () =>
        (await closed.request('POST', '/api/v1/tools/good/call', {})).json<{ ok: boolean }>().ok;
      expect(await outcome()).toBe(false);
      await closed.request('PATCH', '/api/v1/settings', { egressAllow: ['127.0.0.1'] });
      expect(await outcome()).toBe(true);
      await closed.request('PATCH', '/api/v1/settings', { egressAllow: [] });
      expect(await outcome()).toBe(false);
    } finally {
      await closed.close();
    }
  });

  test('previews a shaping on a recorded, a fresh and a given reply, and applies it once saved', async () => {
    const preview = async (sample: object, reply: object) =>
      (await at.request('POST', '/api/v1/tools/good/shape-preview', { reply, sample })).json<{
        before: { tokens: number };
        after: { text: string; tokens: number };
        problem: string | null;
      }>();
    const recent = await preview({ from: 'recent' }, { select: 'path' });
    expect(recent.after.text).toBe('/good');
    expect(recent.after.tokens).toBeLessThan(recent.before.tokens);
    expect((await preview({ from: 'call' }, { select: '/path' })).after.text).toBe('/good');
    expect((await preview({ from: 'given', text: '{"a":[1,2]}' }, { select: 'a[0]' })).after.text).toBe('1');
    expect((await preview({ from: 'given', text: '{"a":1}' }, { select: 'length(a)' })).problem).toContain(
      'does not fit',
    );
    const bad = await at.request('PATCH', '/api/v1/tools/good', { reply: { select: 'a[' } });
    expect(bad.statusCode).toBe(422);
    await at.request('PATCH', '/api/v1/tools/good', { reply: { template: 'It is {{path}}.' } });
    const called = (await call('good')).json<{ content: { text: string }[] }>();
    expect(called.content).toEqual([{ type: 'text', text: 'It is /good.' }]);
  });

  test('deletes records before a time', async () => {
    const purge = await at.request('POST', '/api/v1/calls/purge', { before: '2999-01-01T00:00:00Z' });
    expect(purge.json<{ deleted: number }>().deleted).toBeGreaterThan(4);
    expect((await list('')).total).toBe(0);
  });
});
