import { load, sendOne } from './load.js';
import { cpuSeconds, pinTo, residentMb } from './processes.js';
import { head, median, quartiles, row, showRatio, whole } from './statistics.js';
import { variants } from './variants.js';

const gatewayCore = pinTo(0);
const otherCore = pinTo(1);

/** `tools/call` through every variant, each beside the floor: the machine changes from second to second, so they take turns. */
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
    const floor = started.get('floor');
    const results = new Map([...started.keys()].map((name) => [name, []]));
    for (let round = 0; round < rounds; round++) {
      const order = [...started.keys()].filter((name) => name !== 'floor');
      for (const name of round % 2 === 0 ? order : order.toReversed()) {
        const pair = await measureBeside(floor, started.get(name), seconds);
        results.get(name).push(pair);
        results.get('floor').push({ own: pair.floor, floor: pair.floor });
      }
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

/** One round: the floor and a variant in turns of one second, at 64 connections, then at one. */
async function measureBeside(floor, variant, seconds) {
  const tallies = new Map([floor, variant].map((one) => [one, newTally()]));
  for (const connections of [64, 1]) {
    const turns = connections === 64 ? seconds : Math.ceil(seconds / 2);
    for (let turn = 0; turn < turns; turn++) {
      for (const one of turn % 2 === 0 ? [floor, variant] : [variant, floor])
        await addTurn(tallies.get(one), one, connections);
    }
  }
  return { own: figuresOf(tallies.get(variant)), floor: figuresOf(tallies.get(floor)) };
}

function newTally() {
  return { requests: 0, seconds: 0, cpuSeconds: 0, p99Ms: [], p50Ms: [], faults: 0 };
}

async function addTurn(tally, { target, pid }, connections) {
  const began = cpuSeconds(pid);
  const found = await load(target, { connections, seconds: 1, pin: otherCore });
  tally.faults += found.errors + found.wrong;
  if (connections === 1) {
    tally.p50Ms.push(found.p50Ms);
    return;
  }
  tally.cpuSeconds += cpuSeconds(pid) - began;
  tally.requests += found.requests;
  tally.seconds += found.requests / found.perSecond;
  tally.p99Ms.push(found.p99Ms);
}

function figuresOf(tally) {
  return {
    perSecond: tally.requests / tally.seconds,
    cpuUs: (tally.cpuSeconds / tally.requests) * 1e6,
    p99Ms: median(tally.p99Ms),
    p50Ms: median(tally.p50Ms),
    faults: tally.faults,
  };
}

function print(results, started) {
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
    const ratio = (key) => quartiles(rows.map(({ own, floor }) => own[key] / floor[key]));
    const added = median(rows.map(({ own, floor }) => own.p50Ms - floor.p50Ms));
    const of = (key) => median(rows.map(({ own }) => own[key]));
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
        rows.reduce((sum, { own }) => sum + own.faults, 0),
      ]),
    );
  }
}
