import { resolve } from 'node:path';
import { addTurn, figuresOf, newTally, warmUp } from './calls.js';
import { pinTo } from './processes.js';
import { median, quartiles, whole } from './statistics.js';
import { legacyCall, main, modernCall, startHandrail } from './variants.js';

const call = process.env.BENCH_CALL === 'legacy' ? legacyCall : modernCall;

/**
 * `tools/call` through this checkout's build and another's, both running, in turns of a second: what differs between
 * them differs in the same weather.
 */
export async function benchAgainst(folder, upstream, { rounds, seconds }) {
  const others = resolve(folder, 'dist/main.js');
  const running = [];
  try {
    for (const program of [main, others]) {
      const gateway = await startHandrail(upstream.url, pinTo(0), { program, call });
      running.push(gateway);
      await warmUp(gateway);
    }
    const [own, other] = running;
    const rows = [];
    for (let round = 0; round < rounds; round++) {
      rows.push(await measure(own, other, seconds));
      const { ratio } = rows.at(-1);
      process.stderr.write(`round ${round + 1}: ${ratio.toFixed(3)}\n`);
    }
    const [low, middle, high] = quartiles(rows.map(({ ratio }) => ratio)).map((one) => one.toFixed(3));
    const of = (key) => whole(median(rows.map((row) => row[key])));
    console.log(
      `CPU per call ${of('own')} µs, of the other checkout's ${of('other')} µs: ${middle} [${low}–${high}] in ${rounds} rounds; wrong or failed: ${rows.reduce((sum, { faults }) => sum + faults, 0)}.`,
    );
  } finally {
    for (const gateway of running) await gateway.stop();
  }
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
