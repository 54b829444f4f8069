import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** What became of a command. */
export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts the built command line, as a user would. */
export function spawnHandrail(
  args: readonly string[],
  env: Record<string, string> = {},
  cwd?: string,
): ChildProcess {
  if (!existsSync(main))
    throw new Error('dist/ is missing: run "npm run build" (npm test does it by itself).');
  return spawn(process.execPath, [main, ...args], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(cwd !== undefined && { cwd }),
  });
}

/** Runs a command to its end. */
export function runHandrail(
  args: readonly string[],
  env: Record<string, string> = {},
  cwd?: string,
): Promise<CommandResult> {
  const child = spawnHandrail(args, env, cwd);
  child.stdin!.end();
  let stdout = '';
  let stderr = '';
  child.stdout!.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** A gateway in a process of its own. */
export interface ServingProcess {
  readonly url: string;
  readonly child: ChildProcess;
  readonly stderr: () => string;
  /** Resolves with the exit code. */
  readonly exited: Promise<number | null>;
}

/** Serves on a free port and resolves once it listens; rejects with what it said when it could not. */
export async function serveHandrail(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<ServingProcess> {
  const child = spawnHandrail(['serve', '--port', '0', '--json', ...args], env);
  let stderr = '';
  child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const url = await new Promise<string>((resolve, reject) => {
    let stdout = '';
    child.stdout!.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      if (!stdout.includes('\n')) return;
      const { url: address } = JSON.parse(stdout.split('\n', 1)[0]!) as { url?: string };
      // What is no address is why it ends.
      if (address !== undefined) resolve(address);
    });
    child.once('close', (code) => reject(new Error(`serve ended with ${code}: ${stdout}${stderr}`)));
  });
  return { url, child, stderr: () => stderr, exited };
}

/** Adds a tool to the demo API of a running process, as an admin. */
export async function addDemoTool(url: string, adminToken: string, name: string): Promise<void> {
  const answer = await fetch(`${url}/api/v1/tools`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${adminToken}`,
      'content-type': 'application/json',
      // Tests kill processes: a kept connection could be one to a process that is no more.
      connection: 'close',
    },
    body: JSON.stringify({
      api: 'demo',
      name,
      description: 'Added while a client was connected',
      operation: { method: 'GET', path: '/weather', parameters: [] },
    }),
  });
  if (answer.status !== 201) throw new Error(`The tool was not added: ${await answer.text()}`);
}
