import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { transformSync } from '@swc/wasm-typescript';
import { cpuSeconds, pinTo, residentMb } from '../processes.js';
import { head, median, row } from '../statistics.js';
import { startUpstream } from '../upstream.js';
import { startHandrail } from '../variants.js';
import { mcpClient } from './client.js';

const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const callsARound = 200;
const runsAtOnce = 50;
const attackers = 4;

/** What a script adds to the call it makes, what many at once need, and how hostile ones affect others. */
export async function benchCosts() {
  const upstream = await startUpstream(pinTo(1));
  const gateway = await startHandrail(upstream.url, pinTo(0));
  try {
    const direct = mcpClient(gateway.target, 'direct');
    const code = mcpClient(gateway.target, 'code');
    const call = () => checked(direct.call('get_user', { id: 7 }));
    const run = (script) => code.call('run_code', { code: script });
    const runOne = () => checked(run('return await tools.bench.get_user({ id: 7 });'));
    await repeat(call, callsARound);
    await repeat(runOne, callsARound);
    await benchOneCall(gateway.pid, call, runOne);
    await benchAtOnce(gateway.pid, run);
    await benchHostile(gateway, call, run);
  } finally {
    await gateway.stop();
    await upstream.stop();
  }
}

async function checked(answering) {
  const { isError, content } = await answering;
  if (isError === true || !content[0].text.includes('Ada Lovelace'))
    throw new Error(`A wrong answer: ${content[0].text.slice(0, 200)}`);
}

async function repeat(work, times) {
  for (let n = 0; n < times; n++) await work();
}

async function benchOneCall(pid, call, runOne) {
  const cpuOf = async (work) => {
    const before = cpuSeconds(pid);
    await repeat(work, callsARound);
    return ((cpuSeconds(pid) - before) * 1_000) / callsARound;
  };
  const figures = [];
  for (let round = 0; round < rounds; round++) figures.push([await cpuOf(call), await cpuOf(runOne)]);
  const alone = median(figures.map(([one]) => one));
  const added = figures.map(([one, other]) => other - one);
  console.log(`\n### A warm script with one call, compared with that call alone: CPU of the whole gateway\n`);
  console.log(head(['call alone', 'added by the script, median', 'most', 'rounds']));
  console.log(
    row([
      `${alone.toFixed(2)} ms`,
      `${median(added).toFixed(2)} ms`,
      `${Math.max(...added).toFixed(2)} ms`,
      `${rounds} of ${callsARound}`,
    ]),
  );
}

async function benchAtOnce(pid, run) {
  const before = residentMb(pid);
  let peak = before;
  const watching = setInterval(() => (peak = Math.max(peak, residentMb(pid))), 25);
  // Each keeps what it read while it waits, so that all of them are in memory together.
  const script =
    'const read = await tools.bench.get_user({ id: 7 }); const kept = Array.from({ length: 1000 }, (_, n) => ({ n, ...read })); await sleep(2000); return kept.length;';
  const answers = await Promise.all(Array.from({ length: runsAtOnce }, () => run(script)));
  clearInterval(watching);
  const failed = answers.filter(({ isError }) => isError === true);
  console.log(`\n### ${runsAtOnce} scripts at once: memory of the whole gateway\n`);
  console.log(head(['before', 'most', 'added', 'not answered']));
  console.log(row([`${before} MB`, `${peak} MB`, `+${peak - before} MB`, failed.length]));
  for (const { content } of failed.slice(0, 1))
    console.log(`\nOne of them: ${content[0].text.slice(0, 200)}`);
}

async function benchHostile({ pid, admin }, call, run) {
  const scripts = await hostileScripts();
  const limits = { memoryMb: 64, cpuMs: Number(process.env.BENCH_HOSTILE_CPU_MS ?? 1_000), wallMs: 10_000 };
  await admin('PATCH', '/servers/bench', { code: limits });
  const p99 = async (until) => {
    const times = [];
    while (!until()) {
      const began = performance.now();
      await call();
      times.push(performance.now() - began);
      await delay(2);
    }
    const sorted = times.sort((one, other) => one - other);
    return { p99: sorted[Math.floor((sorted.length - 1) * 0.99)], p50: median(sorted), count: sorted.length };
  };
  const end = Date.now() + 5_000;
  const idle = await p99(() => Date.now() > end);
  const before = residentMb(pid);
  let left = [...scripts];
  let working = attackers;
  let unexpected = 0;
  const attack = async () => {
    for (let script = left.shift(); script !== undefined; script = left.shift()) {
      try {
        await run(script);
      } catch (error) {
        unexpected++;
        console.log(`- no answer to ${script.slice(0, 80)}: ${error.message}`);
      }
    }
    working--;
  };
  const attacking = Promise.all(Array.from({ length: attackers }, attack));
  const during = await p99(() => working === 0);
  await attacking;
  await delay(1_000);
  const after = residentMb(pid);
  console.log(
    `\n### Direct calls of others while ${attackers} callers run ${scripts.length} hostile scripts (${limits.cpuMs} ms of CPU each at most)\n`,
  );
  console.log(head(['', 'p50', 'p99', 'calls']));
  for (const [name, figures] of [
    ['idle', idle],
    ['under attack', during],
  ])
    console.log(row([name, `${figures.p50.toFixed(1)} ms`, `${figures.p99.toFixed(1)} ms`, figures.count]));
  console.log(
    `\nMemory before ${before} MB, a second after ${after} MB (${after >= before ? '+' : ''}${after - before}); ${unexpected} scripts without an answer.`,
  );
}

/** The scripts that `test/code` runs, without their types. */
async function hostileScripts() {
  const source = readFileSync(new URL('../../test/code/hostile-scripts.ts', import.meta.url), 'utf8');
  const { code } = transformSync(source, { mode: 'strip-only' });
  const module = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  return Object.values(module.hostileScripts)
    .flat()
    .map((script) => script.replaceAll('tools.shop.list', 'tools.bench.get_user'));
}
