import { fork } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cpuSeconds, pinTo } from './processes.js';
import { head, median, quartiles, row, showRatio } from './statistics.js';
import { startHandrail } from './variants.js';

const loadScript = fileURLToPath(new URL('./variants/kept-load.js', import.meta.url));
const connections = 64;
const warmUpRounds = 8;
const calls = 4_000;

// Connections are idle while others are used.
const patient = ['--client-timeout-ms', '600000'];
const gatewayArgs = { one: patient, another: patient, workers: [...patient, '--workers', '2'] };
// Connections are assigned in turn, so every second one belongs to the same worker.
const worker = (from) => ({ name: 'workers', calls, from, step: 2 });

/**
 * The compared setups, each with the first: steps run one after the other, the parts of a step at the same
 * time.
 */
const setups = {
  'one process': [[{ name: 'one', calls }]],
  'two workers, called in turn': [[worker(0)], [worker(1)]],
  'two workers at once': [[worker(0), worker(1)]],
  'two gateways at once that know nothing of each other': [
    [
      { name: 'one', calls },
      { name: 'another', calls },
    ],
  ],
};

/**
 * The cost of a call with two workers, compared with one process, all on one core. Each worker has as many
 * connections and calls as the single process. Any two busy processes on one core evict each other's caches, so
 * two more rows separate this from the cost of workers.
 */
export async function benchWorkers(upstream, { rounds }) {
  const gateways = {};
  const load = startLoad();
  try {
    for (const [name, args] of Object.entries(gatewayArgs)) {
      const gateway = await startHandrail(upstream.url, pinTo(0), { args });
      gateways[name] = gateway;
      if (name === 'workers') await untilBothServe(gateway);
    }
    // Each process compiles its hot code itself.
    for (let round = 0; round < warmUpRounds; round++)
      for (const steps of Object.values(setups)) await runSteps(load, gateways, steps);
    const rows = [];
    for (let round = 0; round < rounds; round++) {
      const figures = {};
      const order = Object.keys(setups);
      for (const name of round % 2 === 0 ? order : order.toReversed())
        figures[name] = await runSteps(load, gateways, setups[name]);
      rows.push(figures);
    }
    print(rows);
  } finally {
    load.stop();
    for (const gateway of Object.values(gateways)) await gateway.stop();
  }
}

/** CPU per call of all gateways that a setup calls, and the number of wrong answers. */
async function runSteps(load, gateways, steps) {
  const names = new Set(steps.flat().map(({ name }) => name));
  const cpu = () => [...names].reduce((sum, name) => sum + cpuSeconds(gateways[name].pid), 0);
  await load.tell({
    open: [...names].map((name) => ({
      name,
      target: gateways[name].target,
      connections: name === 'workers' ? 2 * connections : connections,
    })),
  });
  const began = cpu();
  let wrong = 0;
  for (const step of steps) wrong += await load.tell({ call: step });
  const made = steps.flat().reduce((sum, one) => sum + one.calls, 0);
  return { cpuUs: ((cpu() - began) / made) * 1e6, wrong };
}

async function untilBothServe({ metrics }) {
  while (!/^handrail_budget_processes 2$/m.test(await metrics())) await delay(100);
}

function startLoad() {
  const [command, ...pinned] = [...pinTo(1), process.execPath];
  const child = fork(loadScript, [], { execPath: command, execArgv: pinned });
  const gone = new Promise((_, reject) => child.once('exit', () => reject(new Error('The load ended.'))));
  gone.catch(() => {});
  return {
    tell(message) {
      const answer = new Promise((answered) => child.once('message', answered));
      child.send(message);
      return Promise.race([answer, gone]);
    },
    stop: () => child.kill(),
  };
}

function print(rows) {
  console.log(`\n### CPU per call with two workers, ${connections} connections to each process\n`);
  console.log(head(['called', 'CPU per call', 'of one process’s', 'wrong or failed']));
  for (const name of Object.keys(setups)) {
    const of = rows.map((figures) => figures[name]);
    const ratios = rows.map((figures) => figures[name].cpuUs / figures['one process'].cpuUs);
    console.log(
      row([
        name,
        `${median(of.map(({ cpuUs }) => cpuUs)).toFixed(0)} µs`,
        showRatio(quartiles(ratios)),
        of.reduce((sum, { wrong }) => sum + wrong, 0),
      ]),
    );
  }
}
