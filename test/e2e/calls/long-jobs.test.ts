import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modern, post } from '../../support/mcp-surface.ts';
import { type RunningGateway, startGateway } from '../../support/running-gateway.ts';
import { json, serveHttp, type TestServer } from '../../support/servers/http-server.ts';

// By path, what each begins and how its status is told until its end; `polls` says how often it was asked.
const polls = new Map<string, number>();
const soon = { 'retry-after-ms': '20' };

function statusOf(
  id: string,
  count: number,
): { status?: number; value: unknown; headers?: Record<string, string> } {
  const running = count < 3;
  switch (id) {
    case 'word':
      return {
        value: { id, status: running ? 'InProgress' : 'Succeeded', rows: running ? null : 7 },
        headers: soon,
      };
    case 'flag':
      return {
        value: { name: id, done: !running, ...(!running && { response: { rows: 8 } }) },
        headers: soon,
      };
    case 'listed':
      return { value: [{ status: running ? 'running' : 'done', rows: 6 }], headers: soon };
    case 'accepted':
      return { status: running ? 202 : 200, value: { rows: 9 }, headers: soon };
    case 'elsewhere':
      return running
        ? { value: { state: 'queued' }, headers: soon }
        : { status: 303, value: null, headers: { location: '/reports/77' } };
    case 'fails':
      return {
        value: { status: running ? 'running' : 'failed', error: { message: 'no space left' } },
        headers: soon,
      };
    case 'late':
      return count === 0
        ? { status: 404, value: { message: 'unknown yet' } }
        : { value: { status: 'done', rows: 5 } };
    default:
      return { value: { status: 'running' }, headers: { 'retry-after': '1' } };
  }
}

let upstream: TestServer;
let running: RunningGateway;
let begun = 0;

const ok = { description: 'ok', content: { 'application/json': { schema: {} } } };
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
const kind = { name: 'kind', in: 'query', required: true, schema: { type: 'string' } };

beforeAll(async () => {
  upstream = await serveHttp((request, response) => {
    const url = new URL(request.url!, upstream.origin);
    const [, place, last = ''] = url.pathname.split('/');
    if (request.method === 'POST') {
      begun++;
      const job = url.searchParams.get('kind')!;
      polls.delete(job);
      if (place === 'linked') return json(response, 202, { job: { id: job } }, soon);
      const location = job === 'nowhere' ? '/other/place' : `/jobs/${job}`;
      return json(response, 202, { accepted: true }, { location, ...soon });
    }
    if (place === 'reports') return json(response, 200, { report: last, rows: 10 });
    const count = polls.get(last) ?? 0;
    polls.set(last, count + 1);
    const { status = 200, value, headers = {} } = statusOf(last, count);
    return json(response, status, value, headers);
  });
  running = await startGateway({ egressAllow: ['127.0.0.1'] });
  const document = {
    openapi: '3.1.0',
    info: { title: 'Jobs', version: '1' },
    servers: [{ url: upstream.origin }],
    paths: {
      '/exports': {
        post: { operationId: 'beginExport', summary: 'Begins', parameters: [kind], responses: { 202: ok } },
      },
      '/linked': {
        post: {
          operationId: 'beginLinked',
          summary: 'Begins',
          parameters: [kind],
          responses: {
            202: {
              ...ok,
              links: { status: { operationId: 'getJob', parameters: { id: '$response.body#/job/id' } } },
            },
          },
        },
      },
      '/jobs/{id}': {
        get: {
          operationId: 'getJob',
          summary: 'Tells how a job stands',
          parameters: [id],
          responses: { 200: ok },
        },
      },
      '/reports/{id}': {
        get: {
          operationId: 'getReport',
          summary: 'Reads a report',
          parameters: [id],
          responses: { 200: ok },
        },
      },
    },
  };
  await running.admin('POST', '/imports', { text: JSON.stringify(document), api: 'jobs' });
});
afterAll(async () => {
  await running.stop();
  await upstream.close();
});

async function begin(name: string, job: string, more: object = { wait: true }) {
  const asked = { name, arguments: { kind: job }, ...more };
  const { body, headers } = modern('tools/call', { name: 'call_write', arguments: asked });
  return (await post(`${running.url}/mcp/default`, body, headers)).json.result;
}

describe('a call that only begins a job', () => {
  it.each(['beginExport', 'beginLinked'])('says what to ask for, and when: %s', async (name) => {
    const result = await begin(name, 'word', {});
    expect(result.isError).toBeUndefined();
    expect(result.content.at(-1).text).toBe(
      '[The API accepted the job (HTTP 202) but has not finished it. To check its status, call getJob with {"id":"word"} in 1 s. Pass wait: true to such a call to wait until the job is done.]',
    );
  });

  it('says where its progress is told when no tool reads that', async () => {
    const result = await begin('beginExport', 'nowhere');
    expect(result.content.at(-1).text).toContain(
      'Its status is at /other/place, which no tool here can read',
    );
  });

  it.each([
    ['beginExport', 'word', '"rows":7'],
    ['beginLinked', 'word', '"rows":7'],
    ['beginExport', 'flag', '"rows":8'],
    ['beginExport', 'accepted', '"rows":9'],
    ['beginExport', 'elsewhere', '"report":"77"'],
    ['beginExport', 'late', '"rows":5'],
    ['beginExport', 'listed', '"status":"done","rows":6'],
  ])('waits for the end: %s, %s', async (name, job, end) => {
    const before = begun;
    const result = await begin(name, job);
    expect(result.isError, result.content[0].text).toBeUndefined();
    expect(result.content[0].text).toContain(end);
    expect(begun).toBe(before + 1);
  });

  it('says that a job failed, in the words of the API', async () => {
    const result = await begin('beginExport', 'fails');
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toMatch(/the job ended as "failed"[^]*no space left/);
  });

  it('is told to be under way when its time is over, and not to be begun anew', async () => {
    await running.admin('PATCH', '/tools/beginExport', { limits: { totalTimeoutMs: 1_500 } });
    const before = begun;
    const result = await begin('beginExport', 'for_ever');
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toMatch(
      /still working on it \(running\)\. Do not make the call again[^]*To check its status, call getJob with \{"id":"for_ever"\}/,
    );
    expect(begun).toBe(before + 1);
  });
});
