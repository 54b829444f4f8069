import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { head, row, whole } from '../statistics.js';
import { chart, shown, slopeOf } from './chart.js';
import { measureRecords } from './records.js';
import { fillRegistry } from './registry.js';

const numbers = (text) => text.split(',').filter(Boolean).map(Number);
const sizes = numbers(process.env.BENCH_GROWTH ?? '100,1000,10000,100000');
const serverCounts = numbers(process.env.BENCH_GROWTH_SERVERS ?? '1,10,100,1000');
const recordCounts = numbers(process.env.BENCH_GROWTH_RECORDS ?? '10000,100000,1000000,10000000');
const images = fileURLToPath(new URL('../../docs/guide/images', import.meta.url));

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

/** What is drawn, of what was measured. */
const charts = {
  tools: {
    title: 'CPU of one step with so many tools',
    curves: {
      start: 'startMs',
      'until indexed': 'untilIndexedMs',
      'one search': 'searchMs',
      'change one tool': 'changeToolMs',
    },
  },
  memory: {
    title: 'Memory with so many tools',
    unit: 'MB',
    curves: { started: 'startMb', 'after searching': 'searchedMb' },
  },
  servers: {
    title: 'CPU of one step with so many servers of 1,000 tools',
    curves: {
      start: 'startMs',
      'change one tool': 'changeToolMs',
      'publish one server': 'publishServerMs',
      'create one key': 'createKeyMs',
    },
  },
  records: {
    title: 'CPU of one page with so many records',
    curves: {
      'a text without a hit': 'textMs',
      'a rare tool': 'rareToolMs',
      'its count': 'countMs',
      newest: 'newestMs',
    },
  },
};

/** Measures gateways with more and more tools, servers, keys and records; prints tables and draws curves for the docs. */
export async function runGrowthBench() {
  console.log(
    `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0].model.trim()}, load average ${loadavg()[0].toFixed(1)}. CPU of the whole process, medians of 15 changes through the admin API.\n`,
  );
  const byTools = await each(sizes, sizeOf);
  draw('tools', byTools);
  draw('memory', byTools);
  const byServers = await each(serverCounts, (servers) => ({ tools: 1_000, servers, keys: 100 }));
  draw('servers', byServers);
  const byRecords = [];
  for (const count of recordCounts) byRecords.push([count, await measureRecords(count)]);
  draw('records', byRecords);
}

/** Measures each size, and prints a row for each. */
async function each(counts, sizeFor) {
  const measured = [];
  if (counts.length > 0) console.log(head(['tools, servers, keys', ...columns.map(([title]) => title)]));
  for (const count of counts) {
    const size = sizeFor(count);
    const found = await measure(size);
    measured.push([count, found]);
    const { tools, servers, keys } = size;
    const cells = columns.map(([, show]) => show(found));
    console.log(row([`${whole(tools)}, ${whole(servers)}, ${whole(keys)}`, ...cells]));
  }
  return measured;
}

/** Draws the curves of one chart, and prints what is on them. */
function draw(name, measured) {
  if (measured.length < 2) return;
  const { title, unit = 'ms', curves } = charts[name];
  const drawn = Object.entries(curves).map(([label, key]) => ({
    name: label,
    points: measured.map(([size, found]) => [size, found[key]]),
  }));
  const counts = measured.map(([size]) => size);
  mkdirSync(images, { recursive: true });
  writeFileSync(`${images}/growth-${name}.svg`, chart({ title, unit, sizes: counts, curves: drawn }));
  console.log(`\n${title}, ${unit}\n`);
  console.log(head(['', ...counts.map(whole), 'exponent']));
  for (const { name: label, points } of drawn)
    console.log(row([label, ...points.map(([, value]) => value.toFixed(1)), shown(slopeOf(points))]));
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
