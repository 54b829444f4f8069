import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Connection } from '../domain/mcp-clients.ts';
import { readZip } from '../../test/support/archives/read-zip.ts';
import { startGateway } from '../../test/support/running-gateway.ts';
import { bundleOf } from './desktop-bundle.ts';

const address: Connection = {
  name: 'handrail-weather',
  url: 'https://gateway.example.com/mcp/weather',
  headers: { Authorization: 'Bearer hrk_secret' },
  bridge: ['/usr/bin/node', '/opt/handrail/dist/main.js'],
};

it('asks for the key, and does not hold it', () => {
  const bundle = bundleOf(address, '1.2.3');
  const files = readZip(bundle);
  expect([...files.keys()]).toEqual(['manifest.json', 'server/start.js']);
  expect([...files.values()].join('')).not.toContain('hrk_secret');
  const manifest: unknown = JSON.parse(files.get('manifest.json')!);
  expect(manifest).toMatchObject({
    manifest_version: '0.3',
    name: 'handrail-weather',
    version: '1.2.3',
    author: { name: 'Handrail' },
    server: {
      type: 'node',
      entry_point: 'server/start.js',
      mcp_config: {
        command: 'node',
        args: ['${__dirname}/server/start.js'],
        env: { HANDRAIL_KEY: '${user_config.key}' },
      },
    },
    user_config: { key: { type: 'string', sensitive: true, required: true } },
  });
  expect(manifest).toHaveProperty('display_name', 'weather (Handrail)');
  expect(files.get('server/start.js')).not.toContain('/opt/handrail');
});

it('reaches a gateway from a machine without Handrail', async () => {
  const gateway = await startGateway({ demo: true });
  const folder = await mkdtemp(join(tmpdir(), 'handrail-bundle-'));
  try {
    const files = readZip(bundleOf({ ...address, url: `${gateway.url}/mcp/default`, headers: {} }, '1.2.3'));
    const start = join(folder, 'start.js');
    await writeFile(start, files.get('server/start.js')!);
    const child = spawn(process.execPath, [start], { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
    const opening = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'c', version: '1' },
    };
    const messages = [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: opening },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      {
        jsonrpc: '2.0',
        id: 2,
        method: 'tools/call',
        params: { name: 'weather_get', arguments: { location: 'San Francisco' } },
      },
    ];
    child.stdin.end(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
    let text = '';
    for await (const chunk of child.stdout.setEncoding('utf8')) text += String(chunk);
    const answers = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number });
    expect(answers).toMatchObject([
      { id: 1, result: { serverInfo: { name: 'default' } } },
      { id: 2, result: { content: [{ text: expect.stringContaining('Partly cloudy') as string }] } },
    ]);
  } finally {
    await gateway.stop();
    await rm(folder, { recursive: true });
  }
});

it('asks for nothing where there is no key', () => {
  const program: Connection = { name: 'handrail', command: '/usr/bin/node', args: ['main.js', 'stdio'] };
  for (const connection of [program, { ...address, headers: {} }]) {
    const manifest: unknown = JSON.parse(readZip(bundleOf(connection, '1.2.3')).get('manifest.json')!);
    expect(manifest).not.toHaveProperty('user_config');
    expect(manifest).toHaveProperty('server.mcp_config.env', {});
  }
});
