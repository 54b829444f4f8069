import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runHandrail, serveHandrail } from '../support/command.ts';

describe('the program', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'handrail-life-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('keeps every acknowledged change when it is killed in the middle of writing', async () => {
    const dataDir = join(folder, 'killed');
    const token = 'kill-test-token-0123456789';
    const acknowledged: string[] = [];
    for (let round = 0; round < 6; round++) {
      const { url, child, exited } = await serveHandrail(['--data-dir', dataDir, '--no-demo'], {
        HANDRAIL_ADMIN_TOKEN: token,
      });
      const ask = (method: string, path: string, body?: unknown) =>
        fetch(`${url}/api/v1${path}`, {
          method,
          headers: {
            authorization: `Bearer ${token}`,
            ...(body !== undefined && { 'content-type': 'application/json' }),
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
      const listed = (await (await ask('GET', '/apis?limit=500')).json()) as { items: { slug: string }[] };
      expect(listed.items.map((api) => api.slug)).toEqual(expect.arrayContaining(acknowledged));

      const killer = setTimeout(() => child.kill('SIGKILL'), 30 + round * 40);
      try {
        for (let n = 0; n < 200; n++) {
          const slug = `r${round}-n${n}`;
          const answer = await ask('POST', '/apis', { slug, baseUrl: 'https://api.example.com' });
          if (answer.status === 201) acknowledged.push(slug);
        }
      } catch {
        // The process is gone: that is the point.
      }
      clearTimeout(killer);
      child.kill('SIGKILL');
      await exited;
    }
    expect(acknowledged.length).toBeGreaterThan(0);
  });

  it('finishes a running call when it is asked to stop, and exits with 0', async () => {
    const { url, child, exited } = await serveHandrail(['--data-dir', join(folder, 'drained')]);
    const call = fetch(`${url}/mcp/tools/call`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'demo_slow', arguments: { seconds: 1 } },
      }),
    }).then((answer) => answer.json() as Promise<{ result: unknown }>);
    await new Promise((resolve) => setTimeout(resolve, 300));
    child.kill('SIGTERM');
    expect(await call).toHaveProperty('result');
    expect(await exited).toBe(0);
    const recorded = await runHandrail(['calls', '--json', '--data-dir', join(folder, 'drained')]);
    expect(JSON.parse(recorded.stdout)).toMatchObject({
      total: 1,
      items: [{ toolName: 'demo_slow', outcome: 'ok' }],
    });
  });

  it('ends the streams of those who only listen at once when it is asked to stop, and still finishes a call', async () => {
    const token = 'listened-token-0123456789';
    const { url, child, exited } = await serveHandrail(
      [
        '--data-dir',
        join(folder, 'listened'),
        // Longer than the test may take: only streams that are ended let it pass.
        '--drain-ms',
        '600000',
      ],
      { HANDRAIL_ADMIN_TOKEN: token },
    );
    const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const opened = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
      }),
    });
    await opened.text();
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id')! };
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const streams = await Promise.all([
      fetch(`${url}/mcp`, { headers: { accept: 'text/event-stream', ...session } }),
      fetch(`${url}/api/v1/events`, { headers: { authorization: `Bearer ${token}` } }),
      fetch(`${url}/mcp`, {
        method: 'POST',
        headers: {
          ...json,
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'subscriptions/listen',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 2,
          method: 'subscriptions/listen',
          params: { notifications: { toolsListChanged: true }, _meta: meta },
        }),
      }),
    ]);
    expect(streams.map((stream) => stream.headers.get('content-type'))).toEqual([
      'text/event-stream',
      'text/event-stream',
      'text/event-stream',
    ]);
    const call = fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { ...json, ...session },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 3,
        method: 'tools/call',
        params: { name: 'demo_slow', arguments: { seconds: 1 } },
      }),
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    child.kill('SIGTERM');
    await Promise.all(streams.map((stream) => stream.text()));
    expect(await (await call).text()).toContain('"result"');
    expect(await exited).toBe(0);
  });

  it('says what to do when the port is in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as AddressInfo;
    const { code, stderr } = await runHandrail([
      'serve',
      '--port',
      String(port),
      '--data-dir',
      join(folder, 'port'),
    ]);
    taken.close();
    expect(code).toBe(3);
    expect(stderr).toContain(`Port ${port} is in use`);
    expect(stderr).toContain('--port');
    expect(stderr).not.toMatch(/\bat .*\.js:\d+/);
  });

  it('makes the data folder and its files readable for its owner only', async () => {
    const dataDir = join(folder, 'modes');
    await runHandrail(['apis', '--data-dir', dataDir]);
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
    expect((await stat(join(dataDir, 'handrail.db'))).mode & 0o077).toBe(0);
    expect((await stat(join(dataDir, 'secret.key'))).mode & 0o077).toBe(0);
  });

  it('refuses a damaged database with a message and no stack', async () => {
    const dataDir = join(folder, 'damaged');
    await runHandrail(['apis', '--data-dir', dataDir]);
    await writeFile(join(dataDir, 'handrail.db'), 'this is not a database, but it is long enough to look at');
    const { code, stderr } = await runHandrail(['serve', '--port', '0', '--data-dir', dataDir]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/^handrail: /);
    expect(stderr).not.toMatch(/\bat .*\.js:\d+/);
  });

  it('stores the admin token only as a hash, and replaces it in a running gateway', async () => {
    const dataDir = join(folder, 'token');
    const { url, child, exited } = await serveHandrail(['--data-dir', dataDir, '--no-demo']);
    const reset = await runHandrail(['admin-token', '--reset', '--data-dir', dataDir]);
    const token = reset.stdout.trim();
    expect((await readFile(join(dataDir, 'handrail.db'))).includes(token)).toBe(false);
    await expect
      .poll(
        async () =>
          (await fetch(`${url}/api/v1/apis`, { headers: { authorization: `Bearer ${token}` } })).status,
        { timeout: 3_000, interval: 50 },
      )
      .toBe(200);
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
  });

  it.each([
    [['serve', '--host', '0.0.0.0'], 'HANDRAIL_ALLOW_OPEN'],
    [['serve', '--port', '99999'], '--port'],
    [['serve', '--log-level', 'loud'], '--log-level'],
  ])('refuses to start with %j and says why', async (args, mention) => {
    const dataDir = join(folder, 'refused');
    await runHandrail(['apis', '--data-dir', dataDir]);
    const { code, stderr } = await runHandrail([...args, '--data-dir', dataDir]);
    expect(code).toBe(3);
    expect(stderr).toContain(mention);
  });

  it('refuses PostgreSQL without a master key', async () => {
    const { code, stderr } = await runHandrail(['serve', '--port', '0'], {
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    });
    expect(code).toBe(3);
    expect(stderr).toMatch(/HANDRAIL_SECRET_KEY|PostgreSQL/);
  });

  it('serves a new server with keys on an address that others can reach', async () => {
    const { url, child, exited } = await serveHandrail([
      '--host',
      '0.0.0.0',
      '--data-dir',
      join(folder, 'reachable'),
    ]);
    expect((await fetch(`${url}/mcp/tools/list`)).status).toBe(401);
    child.kill('SIGTERM');
    await exited;
  });
});

describe('the command line', () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = join(await mkdtemp(join(tmpdir(), 'handrail-cli-')), 'data');
    const { child, exited } = await serveHandrail(['--data-dir', dataDir]);
    child.kill('SIGTERM');
    await exited;
  });
  afterAll(() => rm(join(dataDir, '..'), { recursive: true, force: true }));

  const handrail = (...args: string[]) => runHandrail([...args, '--data-dir', dataDir]);

  it('lists and calls tools', async () => {
    expect((await handrail('tools')).stdout).toContain('weather_get');
    const call = await handrail('call', 'weather_get', '--arg', 'location=Berlin');
    expect(call.code, call.stderr).toBe(0);
    expect(JSON.parse(call.stdout)).toHaveProperty('temperature');
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
      ['nonsense'],
      ['tools', '--nope'],
      ['call', 'weather_get', '--arg', 'location'],
    ]) {
      const wrong = await handrail(...args);
      expect(wrong.code, args.join(' ')).toBe(2);
      expect(wrong.stderr).not.toMatch(/\bat .*\.js:\d+/);
    }
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
