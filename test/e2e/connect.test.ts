import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstat, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runHandrail } from '../support/command.ts';
import { readZip } from '../support/archives/read-zip.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'handrail-connect-'));
});
afterEach(() => rm(home, { recursive: true, force: true, maxRetries: 10 }));

const connect = (...args: string[]) =>
  runHandrail(['connect', ...args], { HOME: home, XDG_CONFIG_HOME: join(home, '.config') }, home);

it('prints and touches nothing without consent', async () => {
  const { code, stdout } = await connect('cursor', '--url', 'https://gateway.example.com', '--key', 'hrk_1');
  expect(code).toBe(0);
  expect(stdout).toContain('https://gateway.example.com/mcp');
  expect(await readdir(home)).toEqual([]);
});

it('names each server of a gateway differently, also when its address says which', async () => {
  const nameOf = async (...args: string[]) => {
    const { stdout } = await connect('cursor', ...args);
    return /"mcpServers": \{\s*"([^"]+)"/.exec(stdout)?.[1];
  };
  expect(await nameOf('--url', 'https://g.example.com')).toBe('handrail');
  expect(await nameOf('--url', 'https://g.example.com/mcp/pets')).toBe('handrail-pets');
  expect(await nameOf('--url', 'https://g.example.com', '--server', 'pets')).toBe('handrail-pets');
  expect(await nameOf('--server', 'pets')).toBe('handrail-pets');
});

it('writes with consent, keeps the file’s rights and comments, and a copy of what was there', async () => {
  const folder = join(home, '.config', 'zed');
  await mkdir(folder, { recursive: true });
  const before = '// my settings\n{\n  "theme": "One Dark", // nice\n}\n';
  await writeFile(join(folder, 'settings.json'), before, { mode: 0o640 });
  const { code, stdout, stderr } = await connect('zed', '--write');
  expect(code, stderr).toBe(0);
  expect(stdout).toContain('settings.json.before-handrail');
  expect(await readFile(join(folder, 'settings.json.before-handrail'), 'utf8')).toBe(before);
  const after = await readFile(join(folder, 'settings.json'), 'utf8');
  expect(after).toContain('// my settings\n{\n  "theme": "One Dark", // nice\n  "context_servers": {');
  expect((await stat(join(folder, 'settings.json'))).mode & 0o777).toBe(0o640);
  expect((await readdir(folder)).sort()).toEqual(['settings.json', 'settings.json.before-handrail']);
});

it('makes a new file readable for its owner only, and changes nothing the second time', async () => {
  for (const _ of [1, 2]) {
    const { code } = await connect('windsurf', '--write', '--url', 'https://g.example.com', '--key', 'hrk_1');
    expect(code).toBe(0);
    const folder = join(home, '.codeium', 'windsurf');
    expect(await readdir(folder)).toEqual(['mcp_config.json']);
    expect((await stat(join(folder, 'mcp_config.json'))).mode & 0o777).toBe(0o600);
  }
});

it('says what is wrong with a client it does not know, and with a file it cannot read', async () => {
  const unknown = await connect('emacs');
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toContain('claude-desktop');
  await mkdir(join(home, '.cursor'));
  await writeFile(join(home, '.cursor', 'mcp.json'), '{ broken');
  const broken = await connect('cursor', '--write');
  expect(broken.code).toBe(2);
  expect(broken.stderr).toContain('manually');
  expect(await readFile(join(home, '.cursor', 'mcp.json'), 'utf8')).toBe('{ broken');
});

it('writes through a link, to the server that address and option name together', async () => {
  await mkdir(join(home, '.lmstudio'));
  await writeFile(join(home, 'kept.json'), '{ "mcpServers": {} }');
  const link = join(home, '.lmstudio', 'mcp.json');
  await symlink(join(home, 'kept.json'), link);
  const address = ['--url', 'https://g.example.com/mcp/?dialect=portable', '--server', 'weather'];
  expect((await connect('lm-studio', '--write', ...address)).code).toBe(0);
  expect((await lstat(link)).isSymbolicLink()).toBe(true);
  expect(JSON.parse(await readFile(join(home, 'kept.json'), 'utf8'))).toEqual({
    mcpServers: { 'handrail-weather': { url: 'https://g.example.com/mcp/weather?dialect=portable' } },
  });
  for (const wrong of ['https://g.example.com/mcp/other', 'ftp://g.example.com', 'nonsense']) {
    expect((await connect('lm-studio', '--url', wrong, '--server', 'weather')).code).toBe(2);
  }
});

it('writes no key into a file of a project, and says where it comes from instead', async () => {
  for (const [client, file, place] of [
    ['vscode', join('.vscode', 'mcp.json'), '${input:handrail-key}'],
    ['claude-code', '.mcp.json', '${HANDRAIL_KEY}'],
  ] as const) {
    const url = 'https://g.example.com';
    const { code, stdout } = await connect(client, '--write', '--url', url, '--key', 'hrk_1');
    expect(code).toBe(0);
    expect(stdout).toContain('projects are shared');
    const written = await readFile(join(home, file), 'utf8');
    expect(written).toContain(`Bearer ${place}`);
    expect(written).not.toContain('hrk_1');
  }
});

it('starts this installation for a client that only starts programs', async () => {
  const { stdout } = await connect('claude-desktop', '--url', 'https://g.example.com', '--key', 'hrk_1');
  const { mcpServers } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as {
    mcpServers: { handrail: { command: string; args: string[]; env: object } };
  };
  expect(mcpServers.handrail).toMatchObject({ command: process.execPath, env: { HANDRAIL_KEY: 'hrk_1' } });
  const [file, ...rest] = mcpServers.handrail.args;
  expect(await stat(file!)).toBeDefined();
  expect(rest).toEqual(['stdio', '--url', 'https://g.example.com/mcp']);
});

it('writes a bundle that starts this installation, which answers through it', async () => {
  const { code, stdout, stderr } = await connect('claude-desktop', '--bundle');
  expect(code, stderr).toBe(0);
  const file = join(home, 'handrail.mcpb');
  expect(stdout).toContain(file);
  const files = readZip(await readFile(file));
  await mkdir(join(home, 'installed', 'server'), { recursive: true });
  const start = join(home, 'installed', 'server', 'start.js');
  await writeFile(start, files.get('server/start.js')!);
  const child = spawn(process.execPath, [start], { cwd: home, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  child.stdin.end(
    `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'claude-ai', version: '1' } } })}\n`,
  );
  let answer = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) answer += String(chunk);
  expect(JSON.parse(answer)).toMatchObject({ id: 1, result: { serverInfo: { name: 'default' } } });
  expect(await ended).toEqual([0, null]);
});

it.each([
  [['cursor', '--link'], 'needs --url'],
  [['zed', '--link', '--url', 'https://g.example.com'], 'does not support links'],
  [['cursor', '--bundle'], 'does not support bundles'],
])('refuses %j with a sentence', async (args, sentence) => {
  const { code, stderr } = await connect(...args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
});

it('prints an address that opens Cursor', async () => {
  const { stdout } = await connect('cursor', '--link', '--url', 'https://g.example.com', '--json');
  expect(JSON.parse(stdout)).toEqual({
    client: 'cursor',
    link: expect.stringMatching(
      /^cursor:\/\/anysphere\.cursor-deeplink\/mcp\/install\?name=handrail&config=/,
    ),
  });
});
