import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findProblem } from './check-clients.ts';

const folder = mkdtempSync(join(tmpdir(), 'handrail-clients-'));
const program = join(folder, 'main.js');
writeFileSync(program, '');
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

const opened = { servers: new Set(['default', 'team']), listeningAt: 'http://127.0.0.1:8080' };
const entry = (...args: readonly string[]) =>
  JSON.stringify({ mcpServers: { handrail: { command: 'node', args } } });
const toml = (...args: readonly string[]) => `[mcp_servers.handrail]\nargs = ${JSON.stringify(args)}\n`;

describe('a client’s file', () => {
  it.each([
    ['names another program only', '{"mcpServers":{"x":{"command":"npx","args":["stdio"]}}}', undefined],
    ['is no JSON', 'nonsense "', undefined],
    ['starts this program', entry(program, 'stdio', '--data-dir', folder), null],
    ['starts it for a server', toml(program, 'stdio', '--server', 'team', '--data-dir', folder), null],
    [
      'starts a program that is gone',
      entry(`${program}.old`, 'stdio', '--data-dir', folder),
      /no longer exists/,
    ],
    [
      'names a server that is gone',
      entry(program, 'stdio', '--server', 'sales', '--data-dir', folder),
      /server "sales" no longer exists/,
    ],
    [
      'names a data folder that is gone',
      entry(program, 'stdio', '--data-dir', join(folder, 'gone')),
      /data folder .* no longer exists/,
    ],
    ['asks the gateway', '{"url":"http://127.0.0.1:8080/mcp/team"}', null],
    ['asks another port', '{"url":"http://localhost:9999/mcp"}', /gateway on this data folder is at/],
    [
      'asks for a server that is gone',
      '{"url":"http://127.0.0.1:8080/mcp/sales"}',
      /server "sales" no longer exists/,
    ],
    ['asks elsewhere', '{"url":"https://mcp.example.com/mcp"}', undefined],
  ])('that %s', (_what, text, trouble) => {
    const found = findProblem(text, folder, opened);
    if (trouble instanceof RegExp) expect(found).toMatch(trouble);
    else expect(found).toBe(trouble);
  });
});
