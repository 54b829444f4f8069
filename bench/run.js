import { cpus, totalmem } from 'node:os';
import { load, sendOne } from './load.js';
import { cpuSeconds, hasCommand, machineCpuSeconds, pinTo, residentMb } from './processes.js';
import { startUpstream } from './upstream.js';
import { ownVariants, peersInstalled, variants } from './variants.js';

const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const seconds = Number(process.env.BENCH_SECONDS ?? 5);
const only = process.env.BENCH_ONLY?.split(';');
const listSizes = (process.env.BENCH_TOOLS ?? '10,1000,10000').split(',').filter(Boolean).map(Number);

const gatewayCore = pinTo(0);
const otherCore = pinTo(1);

/** Runs the benchmark and prints its tables as Markdown. */
export async function runBench() {
  const upstream = await startUpstream(otherCore);
  const names = (only ?? (peersInstalled() ? Object.keys(variants) : ownVariants)).filter(
    (name) => variants[name],
  );
  if (!names.includes('floor')) names.unshift('floor');
  console.log(
    `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0].model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB; upstream ${upstream.kind}; load by ${hasCommand('wrk') ? 'wrk' : 'autocannon'}; ${rounds} rounds of ${seconds} s.`,
  );
  if (!peersInstalled()) console.log('Peers are left out: npm ci --prefix bench/peers installs them.');
  try {
    await callTable(names, upstream);
    if (listSizes.length > 0) await listTable(upstream);
  } finally {
    upstream.stop();
  }
}

async function callTable(names, upstream) {
  const started = new Map();
  const results = new Map(names.map((name) => [name, []]));
  try {
    for (const name of names) {
      const variant = await variants[name](upstream.url, gatewayCore, 1);
      const answer = await sendOne(variant.target);
      if (answer.status !== 200 || !answer.text.includes(variant.target.check)) {
        console.log(`${name} does not answer: ${answer.status} ${answer.text.slice(0, 200)}`);
        await variant.stop();
        results.delete(name);
        continue;
      }
      variant.idleMb = residentMb(variant.pid);
      started.set(name, variant);
      await load(variant.target, { connections: 64, seconds: 2, pin: otherCore });
    }
    for (let round = 0; round < rounds; round++) {
      const order = round % 2 === 0 ? [...started.keys()] : [...started.keys()].toReversed();
      for (const name of order) {
        const { target, pid } = started.get(name);
        const machine = machineCpuSeconds();
        const began = cpuSeconds(pid);
        const at64 = await load(target, { connections: 64, seconds, pin: otherCore });
        const cpuUs = ((cpuSeconds(pid) - began) / at64.requests) * 1e6;
        const foreign = machineCpuSeconds() - machine;
        const at1 = await load(target, {
          connections: 1,
          seconds: Math.max(1, Math.round(seconds / 2)),
          pin: otherCore,
        });
        results.get(name).push({
          perSecond: at64.perSecond,
          cpuUs,
          p99Ms: at64.p99Ms,
          p50Ms: at1.p50Ms,
          errors: at64.errors + at1.errors,
          wrong: at64.wrong + at1.wrong,
          foreign,
        });
      }
      process.stderr.write(`round ${round + 1} of ${rounds} done\n`);
    }
    for (const variant of started.values()) variant.loadedMb = residentMb(variant.pid);
    printCalls(results, started);
  } finally {
    for (const variant of started.values()) await variant.stop();
  }
}

function printCalls(results, started) {
  const floor = results.get('floor');
  console.log('\n### tools/call\n');
  console.log(
    '| variant | calls/s at 64 | of the floor | CPU per call | of the floor’s | p50 at 1 | added p50 | p99 at 64 | memory idle → loaded | wrong or failed |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|---|');
  for (const [name, rows] of results) {
    const ratio = (key) => quartiles(rows.map((row, i) => row[key] / floor[i][key]));
    const added = quartiles(rows.map((row, i) => row.p50Ms - floor[i].p50Ms));
    const [t, c] = [ratio('perSecond'), ratio('cpuUs')];
    const bad = rows.reduce((sum, row) => sum + row.errors + row.wrong, 0);
    const { idleMb, loadedMb } = started.get(name);
    console.log(
      `| ${name} | ${Math.round(median(rows.map((r) => r.perSecond))).toLocaleString('en')} | ${show(t)} | ${Math.round(median(rows.map((r) => r.cpuUs)))} µs | ${show(c)} | ${median(rows.map((r) => r.p50Ms)).toFixed(2)} ms | ${added[1] >= 0 ? '+' : ''}${added[1].toFixed(2)} ms | ${median(rows.map((r) => r.p99Ms)).toFixed(1)} ms | ${idleMb} → ${loadedMb} MB | ${bad} |`,
    );
  }
}

async function listTable(upstream) {
  console.log('\n### tools/list\n');
  console.log(
    '| tools | answer | lists/s at 16 | CPU per list | calls/s at 16 | memory idle → loaded | start of the process |',
  );
  console.log('|---|---|---|---|---|---|---|');
  for (const tools of listSizes) {
    const variant = await variants.handrail(upstream.url, gatewayCore, tools);
    try {
      const idleMb = residentMb(variant.pid);
      const list = {
        ...variant.target,
        headers: { ...variant.target.headers, 'mcp-method': 'tools/list' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 7,
          method: 'tools/list',
          params: {
            _meta: {
              'io.modelcontextprotocol/protocolVersion': '2026-07-28',
              'io.modelcontextprotocol/clientCapabilities': {},
            },
          },
        }),
        check: 'get_user',
      };
      delete list.headers['mcp-name'];
      const answer = await sendOne(list);
      await load(list, { connections: 16, seconds: 2, pin: otherCore });
      const began = cpuSeconds(variant.pid);
      const lists = await load(list, { connections: 16, seconds, pin: otherCore });
      const cpuMs = ((cpuSeconds(variant.pid) - began) / lists.requests) * 1000;
      const calls = await load(variant.target, { connections: 16, seconds, pin: otherCore });
      const loadedMb = residentMb(variant.pid);
      const startMs = await variant.restart?.();
      console.log(
        `| ${tools.toLocaleString('en')} | ${(answer.text.length / 1024).toFixed(0)} KB | ${Math.round(lists.perSecond).toLocaleString('en')} | ${cpuMs.toFixed(2)} ms | ${Math.round(calls.perSecond).toLocaleString('en')} | ${idleMb} → ${loadedMb} MB | ${startMs === undefined ? '–' : `${startMs} ms`} |`,
      );
    } finally {
      await variant.stop();
    }
  }
}

function quartiles(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (q) => {
    const position = (sorted.length - 1) * q;
    const low = Math.floor(position);
    return sorted[low] + (sorted[Math.ceil(position)] - sorted[low]) * (position - low);
  };
  return [at(0.25), at(0.5), at(0.75)];
}

function median(values) {
  return quartiles(values)[1];
}

function show([low, middle, high]) {
  return `${middle.toFixed(2)} [${low.toFixed(2)}–${high.toFixed(2)}]`;
}
