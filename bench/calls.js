import { load, sendOne } from './load.js';
import { cpuSeconds, pinTo, residentMb } from './processes.js';
import { head, median, quartiles, row, showRatio, whole } from './statistics.js';
import { variants } from './variants.js';

const gatewayCore = pinTo(0);
const otherCore = pinTo(1);

/**
 * `tools/call` through every variant, one after the other, each compared with the floor. A shared machine
 * changes from second to second, so the two alternate; and an idle process loses its place in memory and
 * caches, so neither is idle for long.
 */
export async function benchCalls(
  names,
  upstream,
  { rounds, seconds, connections = 64, title = 'tools/call' },
) {
  const floor = await startRight('floor', upstream, connections);
  const results = new Map([['floor', { variant: floor, rows: [] }]]);
  try {
    for (const name of names.filter((one) => one !== 'floor')) {
      const variant = await startRight(name, upstream, connections);
      if (variant === null) continue;
      const rows = [];
      try {
        for (let round = 0; round < rounds; round++)
          rows.push(await measureBeside(floor, variant, seconds, connections));
        variant.loadedMb = residentMb(variant.pid);
      } finally {
        await variant.stop();
      }
      results.set(name, { variant, rows });
      results.get('floor').rows.push(...rows.map((pair) => ({ own: pair.floor, floor: pair.floor })));
      process.stderr.write(`${name} done\n`);
    }
    floor.loadedMb = residentMb(floor.pid);
    print(results, title, connections);
  } finally {
    await floor.stop();
  }
}

/** Starts a variant, checks that it answers correctly and warms it up; otherwise prints why and returns null. */
async function startRight(name, upstream, connections) {
  let variant;
  try {
    variant = await variants[name](upstream.url, gatewayCore, 1);
  } catch (error) {
    console.log(`${name} does not start: ${error.message}`);
    return null;
  }
  const answer = await sendOne(variant.target);
  if (answer.status === 200 && answer.text.includes(variant.target.check)) {
    variant.idleMb = residentMb(variant.pid);
    await warmUp(variant, connections);
    return variant;
  }
  console.log(`${name} does not answer: ${answer.status} ${answer.text.slice(0, 200)}`);
  await variant.stop();
  return null;
}

/** Calls a variant until V8 has compiled it. */
function warmUp({ target }, connections) {
  return load(target, { connections, seconds: 10, pin: otherCore });
}

/** One round: the floor and a variant alternate every second, at many connections, then at one. */
async function measureBeside(floor, variant, seconds, many) {
  const tallies = new Map([floor, variant].map((one) => [one, newTally()]));
  for (const connections of [many, 1]) {
    const turns = connections === many ? seconds : Math.ceil(seconds / 2);
    for (let turn = 0; turn < turns; turn++) {
      for (const one of turn % 2 === 0 ? [floor, variant] : [variant, floor])
        await addTurn(tallies.get(one), one, connections);
    }
  }
  return { own: figuresOf(tallies.get(variant)), floor: figuresOf(tallies.get(floor)) };
}

export function newTally() {
  return { requests: 0, seconds: 0, cpuSeconds: 0, p99Ms: [], p50Ms: [], faults: 0 };
}

export async function addTurn(tally, { target, pid }, connections) {
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

export function figuresOf(tally) {
  return {
    perSecond: tally.requests / tally.seconds,
    cpuUs: (tally.cpuSeconds / tally.requests) * 1e6,
    p99Ms: median(tally.p99Ms),
    p50Ms: median(tally.p50Ms),
    faults: tally.faults,
  };
}

function print(results, title, connections) {
  console.log(`\n### ${title}\n`);
  console.log(
    head([
      'variant',
      `calls/s at ${connections}`,
      'of the floor',
      'CPU per call',
      'of the floor’s',
      'p50 at 1',
      'added p50',
      `p99 at ${connections}`,
      'memory idle → loaded',
      'wrong or failed',
    ]),
  );
  for (const [name, { variant, rows }] of results) {
    const ratio = (key) => quartiles(rows.map(({ own, floor }) => own[key] / floor[key]));
    const added = median(rows.map(({ own, floor }) => own.p50Ms - floor.p50Ms));
    const of = (key) => median(rows.map(({ own }) => own[key]));
    const { idleMb, loadedMb } = variant;
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
