import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

const ticksPerSecond = 100;

/** The prefix that pins a command to one core, if there are two or more and taskset is installed. */
export function pinTo(core) {
  return cpus().length > 1 && existsSync('/usr/bin/taskset')
    ? ['/usr/bin/taskset', '-c', String(core % cpus().length)]
    : [];
}

export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export async function waitForPort(port, timeoutMs = 60_000) {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const open = await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(socket.destroy() && true));
      socket.on('error', () => resolve(false));
    });
    if (open) return;
    if (Date.now() > end) throw new Error(`Nothing listens on port ${port}`);
    await delay(50);
  }
}

/** Starts a command, pinned; its output goes to `log` if given. */
export function start(command, args, { pin = [], env = {}, cwd, onOutput } = {}) {
  const all = [...pin, command, ...args];
  const child = spawn(all[0], all.slice(1), {
    cwd,
    env: { ...process.env, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let tail = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      tail = (tail + chunk).slice(-4000);
      onOutput?.(String(chunk));
    });
  }
  child.on('error', (error) => (tail += error.message));
  return {
    pid: child.pid,
    tail: () => tail,
    stop: async () => {
      if (child.exitCode !== null) return;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      for (const pid of descendants(child.pid).toReversed()) kill(pid);
      await Promise.race([gone, delay(5_000).then(() => child.kill('SIGKILL'))]);
    },
  };
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGTERM');
  } catch {
    // It ended by itself.
  }
}

/** A process and all its descendants. */
export function descendants(pid) {
  const children = new Map();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
    } catch {
      // It ended in the meantime.
    }
  }
  const all = [];
  const visit = (one) => {
    all.push(one);
    for (const child of children.get(one) ?? []) visit(child);
  };
  visit(pid);
  return all;
}

/** CPU seconds used so far by a process and its descendants. */
export function cpuSeconds(pid) {
  let ticks = 0;
  for (const one of descendants(pid)) {
    try {
      const stat = readFileSync(`/proc/${one}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // It ended in the meantime.
    }
  }
  return ticks / ticksPerSecond;
}

/** Resident memory of a process and its descendants, in MB. */
export function residentMb(pid) {
  let kb = 0;
  for (const one of descendants(pid)) {
    try {
      kb += Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${one}/status`, 'utf8'))?.[1] ?? 0);
    } catch {
      // It ended in the meantime.
    }
  }
  return Math.round(kb / 1024);
}

export function hasCommand(name) {
  try {
    execFileSync('which', [name], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
