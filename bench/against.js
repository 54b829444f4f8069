import { resolve } from 'node:path';
import { addTurn, figuresOf, newTally } from './calls.js';
import { pinTo } from './processes.js';
import { median, quartiles, whole } from './statistics.js';
import { legacyCall, main, modernCall, startHandrail } from './variants.js';

const call = process.env.BENCH_CALL === 'legacy' ? legacyCall : modernCall;

/**
 * `tools/call` through this checkout's build and another's, both running, alternating every second, so that
 * both get the same conditions. Every round restarts both, with the other one first in every second round: how
 * V8 compiles a process and where its memory is can make a difference of 10%, and stays the same for as long as
 * the process runs.
 */
export async function benchAgainst(folder, upstream, { rounds, seconds }) {
  const others = resolve(folder, 'dist/main.js');
  const rows = [];
  for (let round = 0; round < rounds; round++) {
    rows.push(await measureFresh(others, upstream, seconds, round % 2 === 1));
    process.stderr.write(`round ${round + 1}: ${rows.at(-1).ratio.toFixed(3)}\n`);
  }
  const [low, middle, high] = quartiles(rows.map(({ ratio }) => ratio)).map((one) => one.toFixed(3));
  const of = (key) => whole(median(rows.map((row) => row[key])));
  console.log(
    `CPU per call ${of('own')} µs, of the other checkout's ${of('other')} µs: ${middle} [${low}–${high}] in ${rounds} rounds; wrong or failed: ${rows.reduce((sum, { faults }) => sum + faults, 0)}.`,
  );
}

async function measureFresh(others, upstream, seconds, otherFirst) {
  const running = new Map();
  try {
    for (const program of otherFirst ? [others, main] : [main, others]) {
      const gateway = await startHandrail(upstream.url, pinTo(0), { program, call });
      running.set(program, gateway);
    }
    await warmUpInTurns([...running.values()]);
    return await measure(running.get(main), running.get(others), seconds);
  } finally {
    for (const gateway of running.values()) await gateway.stop();
  }
}

/** Neither waits while the other warms up: a build that had waited was up to 10% slower. */
async function warmUpInTurns(gateways) {
  for (let turn = 0; turn < 10; turn++)
    for (const gateway of gateways) await addTurn(newTally(), gateway, 64);
}

async function measure(own, other, seconds) {
  const tallies = new Map([own, other].map((one) => [one, newTally()]));
  for (let turn = 0; turn < seconds; turn++) {
    for (const one of turn % 2 === 0 ? [own, other] : [other, own]) await addTurn(tallies.get(one), one, 64);
  }
  const [mine, theirs] = [own, other].map((one) => figuresOf(tallies.get(one)));
  return {
    own: mine.cpuUs,
    other: theirs.cpuUs,
    ratio: mine.cpuUs / theirs.cpuUs,
    faults: mine.faults + theirs.faults,
  };
}
