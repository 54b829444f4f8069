import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callSurfaces } from './support/call-surfaces.ts';
import { type RunningGateway, startGateway } from './support/running-gateway.ts';
import { serveHttp, type TestServer } from './support/servers/http-server.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const architecture = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
const path = /## The path of one call\n([\s\S]*?)\n## /.exec(architecture)![1]!;
const rows = path
  .split('\n')
  .filter((line) => /^\| \d+ \|/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()));
const named = (text: string) => [...text.matchAll(/`(src\/[\w/.-]+\.ts)`/g)].map((match) => match[1]!);

describe('the path of one call in ARCHITECTURE.md', () => {
  it('numbers its steps', () => {
    expect(rows.length).toBeGreaterThan(15);
    expect(rows.map(([, number]) => Number(number))).toEqual(rows.map((_, index) => index + 1));
  });

  it('has the steps of run-call.ts in their order', () => {
    const source = readFileSync(join(root, 'src/pipeline/run-call.ts'), 'utf8');
    const body = /async function runSteps\(([\s\S]*?)\n\}\n/.exec(source)![1]!;
    const steps = rows.flatMap(([, , step]) =>
      [...step!.matchAll(/`([a-z]\w+)`(?=[:,])/gi)].map((m) => m[1]!),
    );
    expect(steps.length).toBeGreaterThan(10);
    const places = steps.map((step) => body.search(new RegExp(`\\b${step}\\b\\??\\.?\\(`)));
    expect(steps.filter((_, index) => places[index]! < 0)).toEqual([]);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    const policies = /sendPolicyOrder = \[(.*?)\]/.exec(source)![1]!.replaceAll("'", '');
    expect(path).toContain(`five policies, outermost first: ${policies} `);
    expect(policies.split(', ')).toHaveLength(5);
  });
});

describe('what a call really runs', () => {
  let upstream: TestServer;
  let running: RunningGateway;
  const session = new Session();
  beforeAll(async () => {
    upstream = await serveHttp((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"answer":42}');
    });
    running = await startGateway({ egressAllow: ['127.0.0.1'] });
    const { admin } = running;
    await admin('POST', '/apis', { slug: 'one', baseUrl: upstream.origin, auth: { kind: 'bearer' } });
    await admin('POST', '/credentials', { api: 'one', secret: 'a secret of ours' });
    await admin('POST', '/tools', {
      api: 'one',
      name: 'tried',
      description: 'Tells the answer',
      operation: { method: 'GET', path: '/tried' },
    });
    session.connect();
    await session.post('Profiler.enable');
  });
  afterAll(async () => {
    session.disconnect();
    await running.stop();
    await upstream.close();
  });

  /** The files of src/ in which a function ran between the request and the record. */
  async function filesOf(surface: (typeof callSurfaces)[number]): Promise<string[]> {
    const ask = () =>
      surface.call({ url: running.url, mcp: running.gateway.context.mcp }, { api: 'one', tool: 'tried' });
    // What is made once, such as a connection and a validator, is no part of the path.
    await ask();
    await running.gateway.context.recorder.flush();
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await session.post('Profiler.takePreciseCoverage');
    expect((await ask()).result).toBe('done');
    await running.gateway.context.recorder.flush();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    await session.post('Profiler.stopPreciseCoverage');
    return result
      .filter(({ functions }) => functions.some(({ ranges }) => ranges[0]!.count > 0))
      .map(({ url }) => url.replace(/^file:\/\//, '').replace(root, ''))
      .filter((file) => file.startsWith('src/'));
  }

  // How many files that are isn't checked: timers run in between, more of them on a busy machine.
  it('passes every file that the path names', async () => {
    const ran = new Set<string>();
    for (const surface of callSurfaces.filter(
      ({ serves, name }) => serves === 'callers' && !name.startsWith('resources'),
    )) {
      for (const file of await filesOf(surface)) ran.add(file);
    }
    // These hold what the call finds there, but no code that runs with it.
    const found = ['src/registry/snapshot.ts'];
    const wanted = rows.flatMap(([, , step, where]) => named(`${step} ${where}`));
    expect(wanted.filter((file) => !ran.has(file) && !found.includes(file))).toEqual([]);
  });
});
