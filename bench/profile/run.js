import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { load } from '../load.js';
import { pinTo } from '../processes.js';
import { head, row } from '../statistics.js';
import { startUpstream } from '../upstream.js';
import { variants } from '../variants.js';
import { partsOfACall } from './parts-of-a-call.js';

const preload = fileURLToPath(new URL('./profile-on-signal.cjs', import.meta.url));
const seconds = Number(process.env.BENCH_SECONDS ?? 10);
const compared = ['floor that gathers', 'handrail'];

/** Where the time of a `tools/call` goes, compared with the floor that gathers: samples of the main thread. */
export async function runProfile() {
  const folder = mkdtempSync(join(tmpdir(), 'handrail-profile-'));
  process.env.NODE_OPTIONS = `--require ${preload}`;
  const upstream = await startUpstream(pinTo(1));
  try {
    const columns = [];
    for (const name of compared) columns.push(await profile(name, upstream, join(folder, 'profile.json')));
    print(columns);
  } finally {
    await upstream.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function profile(name, upstream, file) {
  process.env.BENCH_PROFILE_FILE = file;
  const variant = await variants[name](upstream.url, pinTo(0), 1);
  try {
    const calls = (time) => load(variant.target, { connections: 64, seconds: time, pin: pinTo(1) });
    await calls(10);
    process.kill(variant.pid, 'SIGUSR2');
    const { requests } = await calls(seconds);
    process.kill(variant.pid, 'SIGUSR2');
    return partsOfACall(await readWhenThere(file), requests);
  } finally {
    await variant.stop();
    rmSync(file, { force: true });
  }
}

async function readWhenThere(file) {
  for (let left = 100; ; left--) {
    try {
      return JSON.parse(readFileSync(file, 'utf8'));
    } catch (error) {
      if (left === 0) throw error;
      await delay(100);
    }
  }
}

function print(columns) {
  const sums = columns.map((parts) => [...parts.values()].reduce((sum, each) => sum + each, 0));
  const names = [...new Set(columns.flatMap((parts) => [...parts.keys()]))];
  const last = columns.at(-1);
  names.sort((one, other) => (last.get(other) ?? 0) - (last.get(one) ?? 0));
  const show = (time) => (time === undefined ? '–' : `${time.toFixed(1)} µs`);
  console.log(head(['main thread, for each call', ...compared]));
  for (const name of names) console.log(row([name, ...columns.map((parts) => show(parts.get(name)))]));
  console.log(row(['all', ...sums.map(show)]));
}
