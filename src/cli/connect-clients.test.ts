import { describe, expect, it } from 'vitest';
import type { Connection } from '../domain/mcp-clients.ts';
import { clientNames, clients } from './connect-clients.ts';

const program: Connection = { name: 'handrail', command: '/usr/bin/node', args: ['main.js', 'stdio'] };
const address: Connection = {
  name: 'handrail',
  url: 'https://gateway.example.com/mcp/weather',
  headers: { Authorization: 'Bearer hrk_1' },
  bridge: ['/usr/bin/node', '/opt/handrail/dist/main.js'],
};
const place = (platform: NodeJS.Platform, env = {}) => ({
  home: '/home/ada',
  platform,
  folder: '/home/ada/shop',
  env,
});

const started = { command: '/usr/bin/node', args: ['main.js', 'stdio'] };
const bridged = {
  command: '/usr/bin/node',
  args: ['/opt/handrail/dist/main.js', 'stdio', '--url', 'https://gateway.example.com/mcp/weather'],
  env: { HANDRAIL_KEY: 'hrk_1' },
};
const headers = { Authorization: 'Bearer hrk_1' };
const url = 'https://gateway.example.com/mcp/weather';

// Where each client keeps its servers on Linux, under which keys, and what an entry looks like, by the client's own docs.
const kept: [string, string, string[], object, object][] = [
  ['claude-desktop', '/home/ada/.config/Claude/claude_desktop_config.json', ['mcpServers'], started, bridged],
  [
    'claude-code',
    '/home/ada/shop/.mcp.json',
    ['mcpServers'],
    started,
    { type: 'http', url, headers: { Authorization: 'Bearer ${HANDRAIL_KEY}' } },
  ],
  ['cursor', '/home/ada/.cursor/mcp.json', ['mcpServers'], started, { url, headers }],
  [
    'vscode',
    '/home/ada/shop/.vscode/mcp.json',
    ['servers'],
    { type: 'stdio', ...started },
    { type: 'http', url, headers: { Authorization: 'Bearer ${input:handrail-key}' } },
  ],
  [
    'windsurf',
    '/home/ada/.codeium/windsurf/mcp_config.json',
    ['mcpServers'],
    started,
    { serverUrl: url, headers },
  ],
  [
    'zed',
    '/home/ada/.config/zed/settings.json',
    ['context_servers'],
    { source: 'custom', ...started },
    { source: 'custom', url, headers },
  ],
  ['gemini-cli', '/home/ada/.gemini/settings.json', ['mcpServers'], started, { httpUrl: url, headers }],
  [
    'opencode',
    '/home/ada/.config/opencode/opencode.json',
    ['mcp'],
    { type: 'local', command: ['/usr/bin/node', 'main.js', 'stdio'] },
    { type: 'remote', url, headers },
  ],
  [
    'cline',
    '/home/ada/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
    ['mcpServers'],
    started,
    { type: 'streamableHttp', url, headers },
  ],
  ['lm-studio', '/home/ada/.lmstudio/mcp.json', ['mcpServers'], started, { url, headers }],
  ['amazon-q', '/home/ada/.aws/amazonq/mcp.json', ['mcpServers'], started, { type: 'http', url, headers }],
];

const at = (root: unknown, path: readonly string[]) =>
  path.reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], root);

describe.each(kept)('the configuration of %s', (name, file, path, forProgram, forAddress) => {
  const client = clients.get(name)!;

  it('is kept where the client looks for it, in the form it reads', () => {
    expect(client.file(place('linux'))).toBe(file);
    for (const [connection, entry] of [
      [program, forProgram],
      [address, forAddress],
    ] as const) {
      expect(at(JSON.parse(client.merge('', connection)), [...path, 'handrail'])).toEqual(entry);
    }
    if (name !== 'claude-code') {
      expect(at(JSON.parse(client.client.show(address)), [...path, 'handrail'])).toEqual(forAddress);
    }
  });

  it('keeps what else stands in it, comments too', () => {
    const before = `{\n  // mine\n  "other": { "keep": true },\n  "${path[0]}": {\n    "friend": {} // theirs\n  }\n}\n`;
    const after = client.merge(before, program);
    expect(after).toContain('// mine\n  "other": { "keep": true },');
    expect(after).toContain('"friend": {}, // theirs');
    const parsed: unknown = JSON.parse(after.replaceAll(/\/\/.*$/gm, ''));
    expect(at(parsed, [...path, 'handrail'])).toEqual(forProgram);
    expect(client.merge(after, program)).toBe(after);
  });

  it('is left alone when it cannot be read', () => {
    expect(() => client.merge('{ "a": ', program)).toThrow('cannot be changed');
  });
});

it('knows the place of Claude Desktop on every system', () => {
  const desktop = clients.get('claude-desktop')!;
  expect(desktop.file(place('darwin'))).toBe(
    '/home/ada/Library/Application Support/Claude/claude_desktop_config.json',
  );
  expect(desktop.file(place('win32', { APPDATA: '/appdata' }))).toBe(
    '/appdata/Claude/claude_desktop_config.json',
  );
});

it('finds the settings of Cline where its environment puts them', () => {
  const cline = clients.get('cline')!;
  expect(cline.file(place('linux'))).toContain('saoudrizwan.claude-dev/settings/cline_mcp_settings.json');
  expect(cline.file(place('linux', { CLINE_MCP_SETTINGS_PATH: '/mine.json' }))).toBe('/mine.json');
});

it('adds to the servers of an OpenCode configuration of version 2', () => {
  const after = clients.get('opencode')!.merge('{ "mcp": { "servers": { "a": {} } } }', program);
  expect(JSON.parse(after)).toMatchObject({ mcp: { servers: { a: {}, handrail: { type: 'local' } } } });
});

it('adds a table to the configuration of Codex, once', () => {
  const codex = clients.get('codex')!;
  expect(codex.file(place('linux'))).toBe('/home/ada/.codex/config.toml');
  const before = '# mine\nmodel = "x"\n\n[mcp_servers.friend]\ncommand = "y"\n';
  const after = codex.merge(before, address);
  expect(after).toBe(
    `${before}\n[mcp_servers.handrail]\nurl = "${url}"\nhttp_headers = { "Authorization" = "Bearer hrk_1" }\n`,
  );
  expect(codex.merge('', program)).toBe(
    '[mcp_servers.handrail]\ncommand = "/usr/bin/node"\nargs = ["main.js", "stdio"]\n',
  );
  for (const header of [
    '[mcp_servers.handrail]',
    '[ mcp_servers . "handrail" ]',
    "[mcp_servers.'handrail']",
  ]) {
    expect(() => codex.merge(`${header}\n`, address)).toThrow('already has a server');
  }
});

it('gives the command of Claude Code with its header quoted', () => {
  expect(clients.get('claude-code')!.client.show(address)).toBe(
    `claude mcp add --transport http handrail ${url} --header 'Authorization: Bearer hrk_1'`,
  );
  expect(clients.get('claude-code')!.client.show(program)).toBe(
    'claude mcp add handrail -- /usr/bin/node main.js stdio',
  );
});

it('lets VS Code ask for the key, and keeps what it asks for already', () => {
  const vscode = clients.get('vscode')!;
  const input = {
    type: 'promptString',
    id: 'handrail-key',
    description: 'Access key of handrail',
    password: true,
  };
  expect(JSON.parse(vscode.client.show(address))).toHaveProperty('inputs', [input]);
  const before =
    '{\n  "inputs": [\n    { "id": "other" } // theirs\n  ],\n  "servers": { "friend": {} }\n}\n';
  const after = vscode.merge(before, address);
  expect(after).toContain('// theirs');
  expect(JSON.parse(after.replace('// theirs', ''))).toMatchObject({
    inputs: [{ id: 'other' }, input],
    servers: { friend: {}, handrail: { url } },
  });
  expect(vscode.merge(after, address)).toBe(after);
  expect(JSON.parse(vscode.client.show({ ...address, headers: {} }))).not.toHaveProperty('inputs');
  expect(JSON.parse(vscode.client.show(program))).not.toHaveProperty('inputs');
});

it.each(clientNames)('no file of a project gets the key: %s', (name) => {
  const client = clients.get(name)!;
  const isProjects = client.file(place('linux')).startsWith('/home/ada/shop/');
  expect(client.merge('', address).includes('hrk_1')).toBe(!isProjects);
});

it.each(clientNames)('%s is told to start what is installed here, and no name of a package', (name) => {
  for (const connection of [program, address])
    for (const text of [clients.get(name)!.client.show(connection), clients.get(name)!.merge('', connection)])
      expect(text).not.toMatch(/\bnpx\b|"-y"/);
});

it('is tried for every client there is', () => {
  expect([...kept.map(([name]) => name), 'codex'].sort()).toEqual([...clientNames].sort());
});
