import { expect, test } from 'vitest';
import { clients, type Connection } from './clients.ts';

const open: Connection = {
  name: 'weather',
  url: 'http://localhost:8080/mcp/weather',
  headers: {},
  program: ['/usr/bin/node', '/opt/handrail/dist/main.js'],
};
const keyed: Connection = { ...open, headers: { Authorization: 'Bearer hrk_secret' } };

test.each(clients)('$name is told the address and, where there is one, the key', (client) => {
  expect(client.text(open)).toContain(open.url);
  expect(client.text(open)).not.toMatch(/Authorization|HANDRAIL_KEY/);
  expect(client.text(keyed).includes('hrk_secret')).toBe(client.asksForKey !== true);
  expect(client.text(keyed)).not.toMatch(/\bnpx\b/);
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
    headers: { Authorization: 'Bearer ${input:weather-key}' },
    inputs: [
      { type: 'promptString', id: 'weather-key', description: 'Access key of weather', password: true },
    ],
  });
});

test('a file of a project has no key: the client asks for it', () => {
  const projects = clients.filter(({ file }) => file !== null && /^\.|^opencode/.test(file));
  expect(projects.map(({ id, text }) => [id, text(keyed).includes('hrk_secret')])).toEqual([
    ['vscode', false],
  ]);
});

test('Claude Desktop starts this installation, or the program of another machine', () => {
  const commandFor = (connection: Connection) =>
    (
      JSON.parse(clients.find(({ id }) => id === 'claude-desktop')!.text(connection)) as {
        mcpServers: { weather: { command: string; args: string[] } };
      }
    ).mcpServers.weather;
  expect(commandFor(keyed)).toEqual({
    command: '/usr/bin/node',
    args: ['/opt/handrail/dist/main.js', 'stdio', '--url', keyed.url],
    env: { HANDRAIL_KEY: 'hrk_secret' },
  });
  const elsewhere = { ...keyed, url: 'https://gateway.example.com/mcp/weather' };
  for (const connection of [elsewhere, { ...keyed, program: null }])
    expect(commandFor(connection)).toMatchObject({
      command: 'handrail',
      args: ['stdio', '--url', connection.url],
    });
});

test('a name with spaces is quoted for the shell and for TOML', () => {
  const odd = { ...open, name: 'my weather' };
  expect(clients.find(({ id }) => id === 'claude-code')!.text(odd)).toContain("'my weather'");
  expect(clients.find(({ id }) => id === 'codex')!.text(odd)).toContain('[mcp_servers."my weather"]');
});
