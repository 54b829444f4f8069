import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { serveHandrail, type ServingProcess } from '../support/command.ts';
import { adminToken } from '../support/gateway.ts';
import { untilOpen } from '../support/servers/until-open.mjs';

const secretKey = randomBytes(32).toString('base64');

/** Starts an instance on a database that it shares with the others of this test. */
export function startInstance(
  databaseUrl: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<ServingProcess> {
  return serveHandrail(['--allow-open', ...args], {
    DATABASE_URL: databaseUrl,
    HANDRAIL_SECRET_KEY: secretKey,
    HANDRAIL_ADMIN_TOKEN: adminToken,
    ...env,
  });
}

/** What the admin API says of something that it made. */
interface Made {
  readonly id: string;
  /** Of an access key. */
  readonly key: string;
}

/** Asks an instance's admin API for a change. */
export async function change(url: string, path: string, body: object): Promise<Made> {
  const answer = await fetch(`${url}/api/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (answer.status !== 201) throw new Error(`${path} was answered with ${answer.status}: ${text}`);
  return JSON.parse(text) as Made;
}

/** Calls a tool over REST; tells what went wrong, or null. */
export async function callTool(
  url: string,
  name: string,
  args: object = {},
  headers: Record<string, string> = {},
): Promise<string | null> {
  const answer = await fetch(`${url}/mcp/tools/call`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  }).catch((error: unknown) => {
    // "fetch failed" is all that it says by itself.
    const cause = error instanceof Error ? error.cause : undefined;
    return new Response(`${String(error)}: ${String(cause)}`, { status: 599 });
  });
  const text = await answer.text();
  const isGood = answer.status === 200 && text.includes('"result"') && !text.includes('"isError":true');
  return isGood ? null : `${answer.status} ${text.slice(0, 300)}`;
}

/** Asks an instance to end and waits until it did. */
export async function end({ child, exited }: ServingProcess): Promise<number | null> {
  child.kill('SIGTERM');
  return exited;
}

/** Starts a program that listens; returns how to end it. */
export async function startProgram(
  command: string,
  args: readonly string[],
  port: number,
): Promise<() => Promise<void>> {
  const child: ChildProcess = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  await untilOpen(child, port);
  return async () => {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  };
}
