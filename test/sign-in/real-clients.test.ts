import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runClient, runInspector } from '../support/sign-in/run-client.ts';
import { type SignInGateway, startSignInGateway } from '../support/sign-in/sign-in-gateway.ts';

// Clients that were never configured, each with its own implementation of OAuth. test/suites/sign-in.sh installs them.
const {
  SIGN_IN_REMOTE: remote,
  SIGN_IN_PYTHON: python,
  SIGN_IN_CODEX: codex,
  SIGN_IN_CLAUDE: claude,
  SIGN_IN_AI_SDK: aiSdk,
  SIGN_IN_INSPECTOR: inspector,
} = process.env;

let at: SignInGateway;
let folder: string;
beforeAll(async () => {
  // Codex and Claude Code name documents on their vendors' sites, which a machine without the internet can't read.
  at = await startSignInGateway({ clientDocuments: false });
  folder = await mkdtemp(join(tmpdir(), 'handrail-sign-in-'));
});
afterAll(async () => {
  await at.stop();
  await rm(folder, { recursive: true, force: true });
});

it.skipIf(remote === undefined)('mcp-remote signs in by URL and lists', async () => {
  const output = await runClient(
    at.url,
    spawn(remote!, [`${at.url}/mcp/team`, '--allow-http'], {
      env: { ...process.env, BROWSER: 'none', MCP_REMOTE_CONFIG_DIR: folder },
    }),
    // It listens for the redirect itself.
    async (back) => void (await fetch(back)),
  );
  expect(output).toContain('create_order');
  expect(output).toContain('Exiting OK');
});

it.skipIf(python === undefined)('the Python SDK signs in by URL, lists and calls', async () => {
  const child = spawn(python!, ['test/sign-in/python-client.py', `${at.url}/mcp/team`]);
  const output = await runClient(at.url, child, (back) => void child.stdin.write(`${back.href}\n`));
  expect(output).toMatch(/TOOLS .*create_order/);
  expect(output).toContain('CALLED text');
});

it.skipIf(aiSdk === undefined)('@ai-sdk/mcp signs in by URL, lists and calls', async () => {
  const child = spawn(process.execPath, ['test/sign-in/ai-sdk-client.mjs', aiSdk!, `${at.url}/mcp/team`]);
  const output = await runClient(at.url, child, (back) => void child.stdin.write(`${back.href}\n`));
  expect(output).toMatch(/TOOLS .*create_order/);
  expect(output).toContain('CALLED text');
});

it.skipIf(inspector === undefined).each(['legacy', 'modern'])(
  'the Inspector signs in by URL and calls, as a client of the %s era',
  async (era) => {
    const output = await runInspector(inspector!, at.url, folder, ['--protocol-era', era]);
    expect(output).toContain('"content"');
  },
);

const homeless = () => ({ ...process.env, HOME: folder, CODEX_HOME: folder, BROWSER: 'none' });
const connectedNames = async () =>
  (await at.admin('GET', '/connected-apps')).body.items.map(({ name }: { name: string }) => name);

it.skipIf(codex === undefined)('Codex signs in by URL', async () => {
  const add = ['mcp', 'add', 'team', '--oauth-client-registration', 'dcr', '--url', `${at.url}/mcp/team`];
  // It listens for the redirect itself, and signs in as soon as the server is added.
  await runClient(at.url, spawn(codex!, add, { env: homeless() }), async (back) => void (await fetch(back)));
  const listed = await runClient(at.url, spawn(codex!, ['mcp', 'list'], { env: homeless() }), () => {});
  expect(listed).toMatch(/team .*OAuth/);
  expect(await connectedNames()).toContainEqual(expect.stringContaining('Codex'));
});

it.skipIf(claude === undefined)('Claude Code signs in by URL and reaches the server', async () => {
  const add = ['mcp', 'add', '--transport', 'http', 'team', `${at.url}/mcp/team`];
  await runClient(at.url, spawn(claude!, add, { env: homeless() }), () => {});
  // It signs in on a terminal only.
  const login = spawn('script', ['-qec', `${claude!} mcp login team --no-browser`, '/dev/null'], {
    env: homeless(),
  });
  await runClient(at.url, login, (back) => void login.stdin.write(`${back.href}\r`));
  const listed = await runClient(at.url, spawn(claude!, ['mcp', 'list'], { env: homeless() }), () => {});
  expect(listed).toContain('Connected');
  expect(await connectedNames()).toContainEqual(expect.stringContaining('Claude'));
});
