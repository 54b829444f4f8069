import { describe, expect, it } from 'vitest';
import { type AddressConnection, type Connection, mcpClients } from './mcp-clients.ts';

const bridge = ['/usr/bin/node', '/opt/handrail/dist/main.js'] as const;
const open: AddressConnection = {
  name: 'handrail-weather',
  url: 'https://gateway.example.com/mcp/weather',
  headers: {},
  bridge,
};
const keyed: AddressConnection = { ...open, headers: { Authorization: 'Bearer hrk_secret' } };
const program: Connection = {
  name: 'handrail',
  command: bridge[0],
  args: [bridge[1], 'stdio', '--data-dir', '/srv/my data'],
};

/** What each client's own documentation shows, with these connections: one file for each client. */
const golden = (id: string) => `../../test/fixtures/mcp-clients/${id}.txt`;

describe.each(mcpClients)('$title', (client) => {
  it('is told what its documentation has', async () => {
    const told = [
      ['a program that it starts', client.show(program)],
      ['an address that is open', client.show(open)],
      ['an address with a key', client.show(keyed)],
      ...(client.link
        ? [
            ['a link to an open address', client.link(open)],
            ['a link to an address with a key', client.link(keyed)],
          ]
        : []),
    ];
    await expect(told.map(([what, text]) => `# ${what}\n${text}\n`).join('\n')).toMatchFileSnapshot(
      golden(client.id),
    );
  });

  it('is told the address and, where there is one, the key, unless it asks for it', () => {
    expect(client.show(open)).toContain(open.url);
    expect(client.show(open)).not.toMatch(/Authorization|HANDRAIL_KEY/);
    expect(client.show(keyed).includes('hrk_secret')).toBe(client.keyIsApart !== true);
  });

  it('is never told to run a package by its name', () => {
    for (const connection of [program, open, keyed])
      expect(client.show(connection)).not.toMatch(/\bnpx\b|"-y"/);
  });

  it('takes a name with spaces', () => {
    expect(client.show({ ...keyed, name: 'my weather' })).toMatch(/["']my weather["']/);
  });
});

it('links hold what is shown, encoded as the clients read it', () => {
  const link = (id: string) => new URL(mcpClients.find((client) => client.id === id)!.link!(keyed));
  expect(JSON.parse(atob(link('cursor').searchParams.get('config')!))).toEqual({
    url: keyed.url,
    headers: keyed.headers,
  });
  expect(JSON.parse(decodeURIComponent(link('vscode').search.slice(1)))).toEqual({
    name: 'handrail-weather',
    type: 'http',
    url: keyed.url,
    headers: { Authorization: 'Bearer ${input:handrail-weather-key}' },
    inputs: [
      {
        type: 'promptString',
        id: 'handrail-weather-key',
        description: 'Access key of handrail-weather',
        password: true,
      },
    ],
  });
});
