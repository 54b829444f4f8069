import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../support/running-gateway.ts';
import { json, serveHttp, type TestServer } from '../support/servers/http-server.ts';

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const patient = { timeout: 250_000 };

let upstream: TestServer;
let running: RunningGateway;
let folder: string;
/** An upstream request that is answered when a test says so. */
interface Held {
  readonly response: ServerResponse;
  /** Resolves when whoever asked has gone. */
  readonly left: Promise<void>;
}

let held: Held[] = [];
let marks = 0;
let onHeld: (() => void)[] = [];

async function nextHeld(count = 1): Promise<Held[]> {
  while (held.length < count) await new Promise<void>((resolve) => onHeld.push(resolve));
  return held;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function makeShop({ admin }: RunningGateway): Promise<void> {
  const make = async (path: string, body: object) => {
    const made = await admin('POST', path, body);
    expect([made.status, made.body]).toEqual([201, expect.anything()]);
  };
  await make('/apis', { slug: 'shop', baseUrl: upstream.origin, auth: { kind: 'none' } });
  for (const [name, method] of Object.entries({ list: 'GET', hang: 'GET', order: 'POST', mark: 'POST' }))
    await make('/tools', {
      api: 'shop',
      name,
      description: `Does ${name}.`,
      operation: { method, path: `/${name}`, parameters: [] },
      limits: { firstByteTimeoutMs: 250_000, totalTimeoutMs: 250_000 },
    });
  await make('/servers', {
    slug: 'code',
    name: 'Code',
    tools: '*',
    mode: 'code',
    policy: 'open',
    ratePerMinute: 100_000,
    code: { wallMs: 280_000 },
  });
}

beforeAll(async () => {
  upstream = await serveHttp((request, response) => {
    if (request.url === '/list') return json(response, 200, [1, 2, 3]);
    if (request.url === '/mark') {
      marks++;
      return json(response, 200, {});
    }
    held.push({ response, left: new Promise((resolve) => response.once('close', () => resolve())) });
    for (const tell of onHeld.splice(0)) tell();
    return undefined;
  });
  folder = await mkdtemp(join(tmpdir(), 'handrail-code-clients-'));
  const first = await startGateway({ egressAllow: ['127.0.0.1'], dataDir: join(folder, 'data') });
  await makeShop(first);
  await first.stop();
  running = await startGateway({ egressAllow: ['127.0.0.1'] });
  await makeShop(running);
});
afterAll(async () => {
  await running.stop();
  await upstream.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
});

const handrail = (...args: string[]) =>
  new StdioClientTransport({
    command: process.execPath,
    args: [main, 'stdio', ...args],
    env: { HANDRAIL_EGRESS_ALLOW: '127.0.0.1' },
    stderr: 'ignore',
  });
const transports = {
  HTTP: () => new StreamableHTTPClientTransport(new URL(`${running.url}/mcp/code`)),
  stdio: () => handrail('--server', 'code', '--data-dir', join(folder, 'data')),
  'stdio in front of HTTP': () => handrail('--url', `${running.url}/mcp/code`),
};

describe.each(
  Object.keys(transports).flatMap((over) =>
    (['auto', 'legacy'] as const).map((mode) => ({ over: over as keyof typeof transports, mode })),
  ),
)('a client of the SDK over $over ($mode)', ({ over, mode }) => {
  let client: Client;
  let pid: number | null = null;
  beforeEach(async () => {
    held = [];
    onHeld = [];
    marks = 0;
    client = new Client({ name: 'scripts', version: '1' }, { versionNegotiation: { mode } });
    const transport = transports[over]();
    await client.connect(transport, patient);
    pid = 'pid' in transport ? transport.pid : null;
  });
  afterEach(async () => {
    await client.close();
    // Its folder is removed in the end, and it may still be writing there.
    if (pid !== null) await expect.poll(() => isAlive(pid!)).toBe(false);
  });

  const run = (code: string, more: Parameters<Client['callTool']>[1] = {}) =>
    client.callTool({ name: 'run_code', arguments: { code } }, { ...patient, ...more });

  it('runs a script, and is told why one failed', async () => {
    const { tools } = await client.listTools(undefined, patient);
    expect(tools.map(({ name }) => name)).toEqual(['search_tools', 'run_code', 'read_reply']);
    const done = await run('const all: number[] = await tools.shop.list(); return { last: all.at(-1) }');
    expect(done.content).toEqual([{ type: 'text', text: '{"last":3}' }]);
    const failed = await run('await tools.shop.list();\nnothing.at.all');
    expect(failed.isError).toBe(true);
    expect(failed.content).toMatchObject([
      { text: expect.stringMatching(/line 2: ReferenceError.*tools\.shop\.list ok/s) },
    ]);
  });

  it('hears which call is under way', async () => {
    let result!: ReturnType<Client['callTool']>;
    const heard: { progress: number; message?: string }[] = [];
    const isTold = new Promise<void>((resolve) => {
      const code = 'await tools.shop.list(); return await tools.shop.hang()';
      const onprogress = (news: { progress: number; message?: string }) => {
        heard.push(news);
        if (news.message?.includes('Call 2: tools.shop.hang') === true) resolve();
      };
      result = run(code, { onprogress });
    });
    const [asked] = await nextHeld();
    await isTold;
    json(asked!.response, 200, 'there');
    expect((await result).content).toEqual([{ type: 'text', text: 'there' }]);
    const steps = heard.map(({ progress }) => progress);
    expect(steps).toEqual(steps.toSorted((one, other) => one - other));
  });

  it('cancels the calls of a script with it, and nothing of it goes on', async () => {
    const records = async (): Promise<{ id: string; toolName: string; outcome: string }[]> =>
      (await running.admin('GET', '/calls?limit=100')).body.items;
    const known = new Set((await records()).map(({ id }) => id));
    const cancelling = new AbortController();
    const code = `
      await Promise.allSettled([tools.shop.hang(), tools.shop.order()]);
      await tools.shop.mark();`;
    const end = run(code, { signal: cancelling.signal }).then(
      () => 'answered',
      () => 'cancelled',
    );
    const asked = await nextHeld(2);
    cancelling.abort('no longer wanted');
    expect(await end).toBe('cancelled');
    await Promise.all(asked.map(({ left }) => left));
    // It is still there for the next one, which may do what the cancelled one may not.
    expect((await run('return await tools.shop.list()')).content).toMatchObject([{ text: '[1,2,3]' }]);
    if (over !== 'stdio') {
      const outcomes = async () =>
        (await records())
          .filter(({ id }) => !known.has(id))
          .map(({ toolName, outcome }) => `${toolName} ${outcome}`)
          .toSorted();
      await expect
        .poll(outcomes)
        .toEqual(['hang cancelled', 'list ok', 'order cancelled', 'run_code cancelled', 'run_code ok']);
    }
    expect(marks).toBe(0);
  });
});
