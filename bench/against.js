import { resolve } from 'node:path';
import { addTurn, figuresOf, newTally } from './calls.js';
import { pinTo } from './processes.js';
import { median, quartiles, whole } from './statistics.js';
import { legacyCall, main, modernCall, startHandrail } from './variants.js';

const call = process.env.BENCH_CALL === 'legacy' ? legacyCall : modernCall;

/**
 * `tools/call` through this checkout's build and another's, both running, in turns of a second: what differs between
 * them differs in the same weather. Every round starts both anew, the other one first in every second round: what V8
 * makes of one process and where its memory lies is worth ten per cent by itself, and stays with it for as long as it runs.
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

/** Neither waits while the other is warmed up: the one that had waited came out up to a tenth slower. */
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
