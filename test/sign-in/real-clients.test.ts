import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { agree, PageReader } from '../support/sign-in/page-reader.ts';
import { ada, type SignInGateway, startSignInGateway } from '../support/sign-in/sign-in-gateway.ts';

// Clients that were never configured, each with its own implementation of OAuth. test/suites/sign-in.sh installs them.
const {
  SIGN_IN_REMOTE: remote,
  SIGN_IN_PYTHON: python,
  SIGN_IN_CODEX: codex,
  SIGN_IN_CLAUDE: claude,
  SIGN_IN_AI_SDK: aiSdk,
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

/** Runs a client; signs in at the first address for it that is printed, and hands the redirect over. */
async function run(child: ChildProcess, returned: (back: URL) => Promise<void> | void): Promise<string> {
  let output = '';
  let isOpened = false;
  let failure: unknown = null;
  const read = (chunk: Buffer): void => {
    output += chunk.toString();
    const address = /https?:\/\/\S*\/oauth\/authorize\?\S*/.exec(output)?.[0];
    if (address === undefined || isOpened) return;
    isOpened = true;
    agree(new PageReader(at.url), address, ada)
      .then(returned)
      .catch((error: unknown) => {
        failure = error;
        child.kill();
      });
  };
  child.stdout!.on('data', read);
  child.stderr!.on('data', read);
  await new Promise((resolve) => child.on('exit', resolve));
  if (failure !== null) throw failure;
  return output;
}

it.skipIf(remote === undefined)('mcp-remote signs in by URL and lists', async () => {
  const output = await run(
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
  const output = await run(child, (back) => void child.stdin.write(`${back.href}\n`));
  expect(output).toMatch(/TOOLS .*create_order/);
  expect(output).toContain('CALLED text');
});

it.skipIf(aiSdk === undefined)('@ai-sdk/mcp signs in by URL, lists and calls', async () => {
  const child = spawn(process.execPath, ['test/sign-in/ai-sdk-client.mjs', aiSdk!, `${at.url}/mcp/team`]);
  const output = await run(child, (back) => void child.stdin.write(`${back.href}\n`));
  expect(output).toMatch(/TOOLS .*create_order/);
  expect(output).toContain('CALLED text');
});

const homeless = () => ({ ...process.env, HOME: folder, CODEX_HOME: folder, BROWSER: 'none' });
const connectedNames = async () =>
  (await at.admin('GET', '/connected-apps')).body.items.map(({ name }: { name: string }) => name);

it.skipIf(codex === undefined)('Codex signs in by URL', async () => {
  const add = ['mcp', 'add', 'team', '--oauth-client-registration', 'dcr', '--url', `${at.url}/mcp/team`];
  // It listens for the redirect itself, and signs in as soon as the server is added.
  await run(spawn(codex!, add, { env: homeless() }), async (back) => void (await fetch(back)));
  const listed = await run(spawn(codex!, ['mcp', 'list'], { env: homeless() }), () => {});
  expect(listed).toMatch(/team .*OAuth/);
  expect(await connectedNames()).toContainEqual(expect.stringContaining('Codex'));
});

it.skipIf(claude === undefined)('Claude Code signs in by URL and reaches the server', async () => {
  const add = ['mcp', 'add', '--transport', 'http', 'team', `${at.url}/mcp/team`];
  await run(spawn(claude!, add, { env: homeless() }), () => {});
  // It signs in on a terminal only.
  const login = spawn('script', ['-qec', `${claude!} mcp login team --no-browser`, '/dev/null'], {
    env: homeless(),
  });
  await run(login, (back) => void login.stdin.write(`${back.href}\r`));
  const listed = await run(spawn(claude!, ['mcp', 'list'], { env: homeless() }), () => {});
  expect(listed).toContain('Connected');
  expect(await connectedNames()).toContainEqual(expect.stringContaining('Claude'));
});
