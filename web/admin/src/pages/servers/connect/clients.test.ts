import { expect, test } from 'vitest';
import { clients, type Connection } from './clients.ts';

const open: Connection = { name: 'weather', url: 'http://localhost:8080/mcp/weather', headers: {} };
const keyed: Connection = { ...open, headers: { Authorization: 'Bearer hrk_secret' } };

test.each(clients)('$name is told the address and, where there is one, the key', (client) => {
  expect(client.text(open)).toContain(open.url);
  expect(client.text(open)).not.toMatch(/Authorization|HANDRAIL_KEY/);
  expect(client.text(keyed)).toContain('hrk_secret');
});

test('the links hold the same configuration, encoded', () => {
  const link = (id: string) => clients.find((client) => client.id === id)!.link!(keyed);
  const cursor = new URL(link('cursor'));
  expect(JSON.parse(atob(cursor.searchParams.get('config')!))).toEqual({
    url: keyed.url,
    headers: keyed.headers,
  });
  expect(JSON.parse(decodeURIComponent(link('vscode').split('?')[1]!))).toEqual({
    name: 'weather',
    type: 'http',
    url: keyed.url,
    headers: keyed.headers,
  });
});

test('a name with spaces is quoted for the shell and for TOML', () => {
  const odd = { ...open, name: 'my weather' };
  expect(clients.find(({ id }) => id === 'claude-code')!.text(odd)).toContain("'my weather'");
  expect(clients.find(({ id }) => id === 'codex')!.text(odd)).toContain('[mcp_servers."my weather"]');
});
