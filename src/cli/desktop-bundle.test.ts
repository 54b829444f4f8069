import { expect, it } from 'vitest';
import type { Connection } from '../domain/mcp-clients.ts';
import { readZip } from '../../test/support/archives/read-zip.ts';
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
  expect(files.get('server/start.js')).toContain('"--url","https://gateway.example.com/mcp/weather"');
});

it('asks for nothing where there is no key', () => {
  const program: Connection = { name: 'handrail', command: '/usr/bin/node', args: ['main.js', 'stdio'] };
  for (const connection of [program, { ...address, headers: {} }]) {
    const manifest: unknown = JSON.parse(readZip(bundleOf(connection, '1.2.3')).get('manifest.json')!);
    expect(manifest).not.toHaveProperty('user_config');
    expect(manifest).toHaveProperty('server.mcp_config.env', {});
  }
});
