import { cpus, loadavg, totalmem } from 'node:os';
import { benchAgainst } from './against.js';
import { benchCalls } from './calls.js';
import { benchFirstAnswers } from './first-answers.js';
import { benchLists } from './lists.js';
import { benchLongReplies } from './long-replies.js';
import { benchRecords } from './records.js';
import { benchSlowApi } from './slow-api.js';
import { benchWorkers } from './workers.js';
import { hasCommand, pinTo } from './processes.js';
import { startUpstream } from './upstream.js';
import { ownVariants, peersInstalled, variants } from './variants.js';

const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const seconds = Number(process.env.BENCH_SECONDS ?? 4);
const against = process.env.BENCH_AGAINST;
const only = process.env.BENCH_ONLY?.split(';');
const listSizes = (process.env.BENCH_TOOLS ?? '10,1000,10000').split(',').filter(Boolean).map(Number);
const replySizes = (process.env.BENCH_REPLIES ?? '100000,1000000').split(',').filter(Boolean).map(Number);
const slowConnections = Number(process.env.BENCH_SLOW ?? 500);
const workerRounds = Number(process.env.BENCH_WORKERS ?? 9);
const starts = Number(process.env.BENCH_STARTS ?? 10);
const recordRounds = Number(process.env.BENCH_RECORDS ?? 9);
const postgres = process.env.BENCH_POSTGRES;

/** Runs the benchmark and prints its tables as Markdown. */
export async function runBench() {
  const upstream = await startUpstream(pinTo(1));
  const names = (only ?? (peersInstalled() ? Object.keys(variants) : ownVariants)).filter(
    (name) => variants[name],
  );
  if (!names.includes('floor')) names.unshift('floor');
  console.log(
    `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0].model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, load average ${loadavg()[0].toFixed(1)}; upstream ${upstream.kind}; load by ${hasCommand('wrk') ? 'wrk' : 'autocannon'}; ${rounds} rounds of ${seconds} s.`,
  );
  try {
    if (against !== undefined) {
      if (rounds > 0) await benchAgainst(against, upstream, { rounds, seconds });
      if (recordRounds > 0) await benchRecords({ against, postgres, rounds: recordRounds });
      return;
    }
    if (!peersInstalled()) console.log('Peers are left out: npm ci --prefix bench/peers installs them.');
    if (rounds > 0) await benchCalls(names, upstream, { rounds, seconds });
    await benchLongReplies(replySizes, { rounds: Math.max(1, rounds), seconds });
    if (slowConnections > 0) await benchSlowApi(slowConnections, { rounds: Math.max(1, rounds), seconds });
    if (workerRounds > 0) await benchWorkers(upstream, { rounds: workerRounds });
    const short = { rounds: Math.min(rounds, 3), seconds: Math.min(seconds, 2) };
    if (listSizes.length > 0) await benchLists(names, listSizes, upstream, short);
    if (starts > 0) await benchFirstAnswers(upstream, starts);
    if (recordRounds > 0) await benchRecords({ against, postgres, rounds: recordRounds });
  } finally {
    await upstream.stop();
  }
}
