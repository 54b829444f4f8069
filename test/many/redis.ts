import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastingPort } from '../support/servers/lasting-port.mjs';
import { untilOpen } from '../support/servers/until-open.mjs';

/** A Redis that keeps nothing on disk, on a port that stays its own while it is down. */
export interface RedisServer {
  readonly port: number;
  /** Stands still, with its connections open, until it goes on. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  kill(): Promise<void>;
  /** Starts it again, with no memory of what it knew. */
  start(): Promise<void>;
  /** Asks it something with its own command line. */
  ask(...command: string[]): Promise<string>;
  close(): Promise<void>;
}

/** Starts a Redis; `args` are settings of its own. */
export async function startRedis(
  args: readonly string[] = [],
  cliArgs: readonly string[] = [],
): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'handrail-redis-'));
  const port = await lastingPort();
  let child: ChildProcess;

  async function start(): Promise<void> {
    const all = ['--bind', '127.0.0.1', '--save', '', '--dir', folder, ...args];
    const ports = args.includes('--tls-port') ? [] : ['--port', String(port)];
    child = spawn('redis-server', [...ports, ...all.map((arg) => arg.replace('PORT', String(port)))], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    await untilOpen(child, port);
  }
  async function kill(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  await start();
  return {
    port,
    start,
    kill,
    signal: (name) => void child.kill(name),
    async ask(...command) {
      const cli = spawn('redis-cli', ['-p', String(port), ...cliArgs, ...command]);
      let said = '';
      cli.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
      await once(cli, 'close');
      return said.trim();
    },
    async close() {
      await kill();
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
