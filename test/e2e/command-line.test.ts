import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runHandrail, serveHandrail, spawnHandrail } from '../support/command.ts';

describe('the command line', () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = join(await mkdtemp(join(tmpdir(), 'handrail-cli-')), 'data');
    const { child, exited } = await serveHandrail(['--data-dir', dataDir]);
    child.kill('SIGTERM');
    await exited;
  });
  afterAll(() => rm(join(dataDir, '..'), { recursive: true, force: true, maxRetries: 10 }));

  const handrail = (...args: string[]) => runHandrail([...args, '--data-dir', dataDir]);

  it('lists and calls tools', async () => {
    expect((await handrail('tools')).stdout).toContain('weather_get');
    const call = await handrail('call', 'weather_get', '--arg', 'location=Berlin');
    expect(call.code, call.stderr).toBe(0);
    expect(JSON.parse(call.stdout)).toHaveProperty('temperature');
  });

  it('finishes quietly when the reader of its output leaves', async () => {
    const child = spawnHandrail(['help', 'serve'], {});
    child.stdout!.destroy();
    let stderr = '';
    child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect([code, stderr]).toEqual([0, '']);
  });

  it('finds tools by what they do', async () => {
    const found = await handrail('search', 'weather', 'somewhere', '--limit', '1');
    expect(found.stdout).toMatch(/^weather_get\(location: string/);
    expect(JSON.parse((await handrail('search', 'weather', '--json')).stdout)).toHaveProperty(
      'results.0.name',
      'weather_get',
    );
  });

  it('reads argument values as the tool wants them', async () => {
    const call = await handrail(
      'call',
      'search_documents',
      '--arg',
      'query=revenue',
      '--arg',
      'tags:=["finance"]',
      '--arg',
      'limit=1',
    );
    expect(JSON.parse(call.stdout)).toHaveLength(1);
  });

  it('fails with 1 for a failed call, 2 for wrong use, and prints no stack', async () => {
    const failed = await handrail('call', 'demo_failing');
    expect([failed.code, failed.stdout]).toEqual([1, '']);
    for (const args of [
      ['call'],
      ['search'],
      ['nonsense'],
      ['tools', '--nope'],
      ['call', 'weather_get', '--arg', 'location'],
    ]) {
      const wrong = await handrail(...args);
      expect(wrong.code, args.join(' ')).toBe(2);
      expect(wrong.stderr).not.toMatch(/\bat .*\.js:\d+/);
    }
  });

  it('makes no store where something stored is asked for, and says what to do', async () => {
    const empty = await mkdtemp(join(dataDir, '..', 'empty-'));
    for (const args of [['call', 'weather_get'], ['calls'], ['tools']]) {
      const refused = await runHandrail(args, {}, empty);
      expect([refused.code, refused.stdout]).toEqual([3, '']);
      expect(refused.stderr).toContain('There is no store in');
    }
    expect(await readdir(empty)).toEqual([]);
  });

  it('says what may have been meant', async () => {
    expect((await handrail('serverz')).stderr).toContain('Did you mean servers');
    expect((await handrail('tools', '--jsn')).stderr).toContain('did you mean --json?');
  });

  it('names the address at which the gateway on its data folder listens', async () => {
    const { child, exited, url } = await serveHandrail(['--data-dir', dataDir]);
    try {
      expect((await handrail('servers')).stdout).toContain(`${url}/mcp/default`);
    } finally {
      child.kill('SIGTERM');
      await exited;
    }
  });

  it('has told the gateway on its data folder of what it changed when it ends', async () => {
    const { child, exited, url } = await serveHandrail(['--data-dir', dataDir]);
    const names = async () => {
      const answer = await fetch(`${url}/mcp/tools/list`);
      const { result } = (await answer.json()) as { result: { tools: { name: string }[] } };
      return result.tools.map(({ name }) => name);
    };
    try {
      for (const api of ['one', 'two', 'three']) {
        const file = join(dataDir, '..', `${api}.json`);
        const paths = { [`/${api}`]: { get: { operationId: `list_${api}`, responses: {} } } };
        const info = { title: api, version: '1' };
        const servers = [{ url: `https://${api}.example.com` }];
        await writeFile(file, JSON.stringify({ openapi: '3.1.0', info, servers, paths }));
        const imported = await handrail('import', file, '--api', api);
        expect(imported.code, imported.stderr).toBe(0);
        expect(await names()).toContain(`list_${api}`);
      }
    } finally {
      child.kill('SIGTERM');
      await exited;
    }
  });

  it('waits for no gateway that was killed on its data folder', async () => {
    const { child, exited } = await serveHandrail(['--data-dir', dataDir]);
    child.kill('SIGKILL');
    await exited;
    const made = await handrail('servers', 'create', 'after-the-kill');
    expect(made.code, made.stderr).toBe(0);
    expect((await handrail('servers')).stdout).toContain('/mcp/after-the-kill');
  });

  it('finds what was refused among the calls, and writes a reply to a file', async () => {
    const file = join(dataDir, '..', 'reply.json');
    const called = await handrail('call', 'weather_get', '--arg', 'location=Rome', '--output', file);
    expect(called.code, called.stderr).toBe(0);
    expect(JSON.parse(await readFile(file, 'utf8'))).toHaveProperty('temperature');
    const again = await handrail('call', 'weather_get', '--arg', 'location=Rome', '--output', file);
    expect([again.code, again.stderr.includes('already exists')]).toEqual([2, true]);
    const listed = await handrail('calls', '--limit', '1', '--tool', 'weather_get');
    expect(listed.stdout).toContain('weather_get');
    expect((await handrail('calls', '--outcome', 'refused')).stdout).toContain('No recorded call');
    expect((await handrail('calls', '--limit', 'many')).code).toBe(2);
  });

  it('looks at APIs, credentials and clients, and says what to do', async () => {
    await handrail('apis', 'create', 'closed', '--base-url', 'https://127.0.0.1:1');
    const doctor = await handrail('doctor', '--port', '0');
    expect(doctor.stdout).toMatch(/FAIL API closed: .*\n +→ handrail egress allow 127\.0\.0\.1:1/);
    expect(doctor.stdout).toContain('ok   MCP clients');
    expect(doctor.stdout).not.toContain('null');
    expect(doctor.code).toBe(1);
  });

  it('shows help with examples for every command', async () => {
    const { stdout } = await runHandrail(['--help']);
    const names = [...stdout.matchAll(/^ {2}([a-z-]+) {2,}/gm)].map((match) => match[1]!);
    expect(names.length).toBeGreaterThan(8);
    for (const name of names) {
      const help = await runHandrail([name, '--help']);
      expect(help.code).toBe(0);
      expect(help.stdout).toContain('Examples:');
    }
  });
});
