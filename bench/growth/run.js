import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { head, row, whole } from '../statistics.js';
import { fillRegistry } from './registry.js';

const sizes = (process.env.BENCH_GROWTH ?? '100,1000,10000,100000').split(',').filter(Boolean).map(Number);

/** What a registry of a size has besides tools: 1,000 servers and 10,000 keys next to 100,000 tools. */
const sizeOf = (tools) => ({ tools, servers: Math.max(1, tools / 100), keys: Math.max(1, tools / 10) });

const columns = [
  ['start, CPU', ({ startMs }) => `${whole(startMs)} ms`],
  ['memory', ({ startMb }) => `${startMb} MB`],
  ['change one tool', ({ changeToolMs }) => `${changeToolMs.toFixed(1)} ms`],
  ['publish one server', ({ publishServerMs }) => `${publishServerMs.toFixed(1)} ms`],
  ['create one key', ({ createKeyMs }) => `${createKeyMs.toFixed(1)} ms`],
  ['until indexed, CPU', ({ untilIndexedMs }) => `${whole(untilIndexedMs)} ms`],
  ['one search', ({ searchMs }) => `${searchMs.toFixed(1)} ms`],
  ['memory after searching', ({ searchedMb }) => `${searchedMb} MB`],
  ['change a tool and search', ({ changeAndSearchMs }) => `${changeAndSearchMs.toFixed(1)} ms`],
];

/** Measures gateways with more and more tools, servers and keys, each in a process of its own, and prints a table. */
export async function runGrowthBench() {
  console.log(
    `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0].model.trim()}, load average ${loadavg()[0].toFixed(1)}. CPU of the whole process, medians of 15 changes through the admin API.\n`,
  );
  console.log(head(['tools, servers, keys', ...columns.map(([title]) => title)]));
  for (const tools of sizes) {
    const { servers, keys } = sizeOf(tools);
    const measured = await measure({ tools, servers, keys });
    const cells = columns.map(([, show]) => show(measured));
    console.log(row([`${whole(tools)}, ${whole(servers)}, ${whole(keys)}`, ...cells]));
  }
}

async function measure(size) {
  const dataDir = mkdtempSync(join(tmpdir(), 'handrail-growth-'));
  try {
    await fillRegistry(dataDir, size);
    const file = fileURLToPath(new URL('./measure.js', import.meta.url));
    // The first start creates the default server and names its tools.
    for (const what of ['start', 'all']) {
      const { stdout, stderr, status } = spawnSync(process.execPath, [file, dataDir, what], {
        encoding: 'utf8',
      });
      if (status !== 0)
        throw new Error(
          `A gateway with ${size.tools} tools could not be measured: ${stderr.slice(0, 2_000)}`,
        );
      if (what === 'all') return JSON.parse(stdout);
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}
