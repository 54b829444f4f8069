import { load, sendOne } from './load.js';
import { cpuSeconds, machineCpuSeconds, pinTo, residentMb } from './processes.js';
import { head, median, quartiles, row, showRatio, whole } from './statistics.js';
import { variants } from './variants.js';

const gatewayCore = pinTo(0);
const otherCore = pinTo(1);

/** `tools/call` through every variant, in interleaved rounds, each round compared with the floor's. */
export async function benchCalls(names, upstream, { rounds, seconds }) {
  const started = new Map();
  try {
    for (const name of names) {
      const variant = await startRight(name, upstream);
      if (variant === null) continue;
      variant.idleMb = residentMb(variant.pid);
      started.set(name, variant);
      await load(variant.target, { connections: 64, seconds: 2, pin: otherCore });
    }
    const results = new Map([...started.keys()].map((name) => [name, []]));
    for (let round = 0; round < rounds; round++) {
      const order = round % 2 === 0 ? [...started.keys()] : [...started.keys()].toReversed();
      for (const name of order) results.get(name).push(await measure(started.get(name), seconds));
      process.stderr.write(`round ${round + 1} of ${rounds} done\n`);
    }
    for (const variant of started.values()) variant.loadedMb = residentMb(variant.pid);
    print(results, started);
  } finally {
    for (const variant of started.values()) await variant.stop();
  }
}

/** Starts a variant and makes sure that it answers rightly; says so and returns null when it does not. */
async function startRight(name, upstream) {
  let variant;
  try {
    variant = await variants[name](upstream.url, gatewayCore, 1);
  } catch (error) {
    console.log(`${name} does not start: ${error.message}`);
    return null;
  }
  const answer = await sendOne(variant.target);
  if (answer.status === 200 && answer.text.includes(variant.target.check)) return variant;
  console.log(`${name} does not answer: ${answer.status} ${answer.text.slice(0, 200)}`);
  await variant.stop();
  return null;
}

async function measure({ target, pid }, seconds) {
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
  return {
    perSecond: at64.perSecond,
    cpuUs,
    p99Ms: at64.p99Ms,
    p50Ms: at1.p50Ms,
    errors: at64.errors + at1.errors,
    wrong: at64.wrong + at1.wrong,
    foreign,
  };
}

function print(results, started) {
  const floor = results.get('floor');
  console.log('\n### tools/call\n');
  console.log(
    head([
      'variant',
      'calls/s at 64',
      'of the floor',
      'CPU per call',
      'of the floor’s',
      'p50 at 1',
      'added p50',
      'p99 at 64',
      'memory idle → loaded',
      'wrong or failed',
    ]),
  );
  for (const [name, rows] of results) {
    const ratio = (key) => quartiles(rows.map((one, i) => one[key] / floor[i][key]));
    const added = median(rows.map((one, i) => one.p50Ms - floor[i].p50Ms));
    const of = (key) => median(rows.map((one) => one[key]));
    const { idleMb, loadedMb } = started.get(name);
    console.log(
      row([
        name,
        whole(of('perSecond')),
        showRatio(ratio('perSecond')),
        `${whole(of('cpuUs'))} µs`,
        showRatio(ratio('cpuUs')),
        `${of('p50Ms').toFixed(2)} ms`,
        `${added >= 0 ? '+' : ''}${added.toFixed(2)} ms`,
        `${of('p99Ms').toFixed(1)} ms`,
        `${idleMb} → ${loadedMb} MB`,
        rows.reduce((sum, one) => sum + one.errors + one.wrong, 0),
      ]),
    );
  }
}
