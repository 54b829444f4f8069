import { cpus, loadavg } from 'node:os';
import { benchCosts } from './costs.js';
import { benchTasks, readTaskSets } from './tasks.js';

/** Measures scripts against single calls, and prints the tables as Markdown. */
export async function runCodeBench() {
  console.log(
    `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0].model.trim()}, load average ${loadavg()[0].toFixed(1)}.`,
  );
  const sets = readTaskSets();
  if (sets === null) console.log('No sets of tasks: name their folder in HANDRAIL_SEARCH_SETS.');
  for (const set of sets ?? []) await benchTasks(set);
  await benchCosts();
}
