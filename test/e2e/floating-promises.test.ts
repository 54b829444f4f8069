import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServingProcess, serveHandrail, spawnHandrail } from '../support/command.ts';

/** What a promise that nobody waits for can be rejected with, as source, and what the log must say of it. */
const reasons: readonly (readonly [string, string, readonly string[]])[] = [
  [
    'an error with its cause',
    `new Error('the index was lost', { cause: new Error('the disk is full') })`,
    ['the index was lost', 'the disk is full'],
  ],
  ['a text', `'only words'`, ['only words']],
  ['nothing', `undefined`, []],
  ['an object that refers to itself', `Object.assign(about, { about, what: 'a circle' })`, ['a circle']],
  [
    'an object without a prototype',
    `Object.create(null, { what: { value: 'bare', enumerable: true } })`,
    ['bare'],
  ],
  ['an object that cannot be looked at', `{ get message() { throw new Error('do not look'); } }`, []],
  [
    'an error that cannot be looked at',
    `Object.defineProperty(new Error(), 'message', { get() { throw new Error('do not look'); } })`,
    ['cannot be shown'],
  ],
  [
    'a proxy that refuses everything',
    `new Proxy({}, { getPrototypeOf() { throw new Error('no'); } })`,
    ['cannot be shown'],
  ],
];

/** Loaded into the program before it starts: at each signal one promise more is rejected that nobody waits for. */
const floatingModule = `
const about = {};
const reasons = [${reasons.map(([, source]) => `() => (${source})`).join(', ')}];
let next = 0;
process.on('SIGUSR2', () => {
  const reason = reasons[next++ % reasons.length];
  void (async () => {
    await null;
    throw reason();
  })();
});
`;

describe('a promise that nobody waits for', () => {
  let folder: string;
  let env: Record<string, string>;
  let serving: ServingProcess;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'handrail-floating-'));
    const file = join(folder, 'floating.mjs');
    await writeFile(file, floatingModule);
    env = { NODE_OPTIONS: `--import=${pathToFileURL(file).href}`, HANDRAIL_LOG_LEVEL: 'error' };
    serving = await serveHandrail(['--data-dir', join(folder, 'served'), '--demo'], env);
  });
  afterAll(async () => {
    serving.child.kill('SIGKILL');
    await serving.exited;
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  async function failures(): Promise<number> {
    const text = await (await fetch(`${serving.url}/metrics`)).text();
    return Number(/^handrail_background_failures_total (\d+)$/m.exec(text)?.[1]);
  }

  const lines = () => serving.stderr().split('\n').slice(0, -1);

  it.each(reasons.map(([what, , said], index) => [what, said, index] as const))(
    'and is rejected with %s is logged and counted, and the program goes on',
    async (_what, said, index) => {
      expect(await failures()).toBe(index);
      serving.child.kill('SIGUSR2');
      while ((await failures()) === index);
      expect(await failures()).toBe(index + 1);
      while (lines().length <= index)
        await new Promise((resolve) => serving.child.stderr!.once('data', resolve));
      const line = lines()[index]!;
      expect(JSON.parse(line)).toMatchObject({
        level: 50,
        msg: expect.stringMatching(/^something failed in the background/),
      });
      for (const words of said) expect(line).toContain(words);

      const called = await fetch(`${serving.url}/mcp/tools/call`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'get_weather', arguments: { city: 'Oslo' } },
        }),
      });
      expect([called.status, await called.text()]).toEqual([
        200,
        expect.stringContaining('current_condition'),
      ]);
      expect(serving.child.exitCode).toBe(null);
    },
  );

  it('does not end what is served over stdio either', async () => {
    const child = spawnHandrail(['stdio', '--data-dir', join(folder, 'lines'), '--demo'], env);
    const exited = new Promise((resolve) => child.once('close', resolve));
    let out = '';
    let err = '';
    child.stdout!.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr!.on('data', (chunk: Buffer) => (err += chunk.toString()));
    let id = 0;
    const ask = async (method: string, params: object) => {
      child.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params })}\n`);
      while (!out.includes(`"id":${id}}`) && child.exitCode === null)
        await new Promise((resolve) => child.stdout!.once('data', resolve));
    };
    await ask('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    });
    await ask('tools/call', { name: 'get_weather', arguments: { city: 'Oslo' } });
    child.kill('SIGUSR2');
    while (!err.includes('\n')) await new Promise((resolve) => child.stderr!.once('data', resolve));
    expect(err).toContain('the disk is full');
    await ask('tools/call', { name: 'get_weather', arguments: { city: 'Bergen' } });
    expect(out.split('current_condition')).toHaveLength(3);
    child.stdin!.end();
    expect(await exited).toBe(0);
  });
});
