import { head, row } from '../statistics.js';
import { startSearchGateway } from './search-gateway.js';

const depths = [1, 5, 10];

/**
 * How many of the gold answers are among the first results of each set, as a client gets them: imported, and searched
 * on a server, once alone in its gateway and once with all others. Both must rank the same.
 */
export async function benchRecall(sets) {
  console.log('\n### Finding: share of the gold answers among the first results\n');
  const columns = [
    ...depths.map((depth) => `R@${depth}`),
    'all gold@10',
    'every second query: R@5, all gold@10',
  ];
  console.log(head(['set', 'queries', ...columns, 'ranked differently among the others', 'CPU per query']));
  const together = await startSearchGateway(sets);
  try {
    for (const set of sets) await benchSet(set, together);
  } finally {
    await together.stop();
  }
}

async function benchSet(set, together) {
  const alone = await startSearchGateway([set]);
  try {
    const began = process.cpuUsage();
    const found = [];
    for (const { query } of set.queries) found.push(await alone.search(set.name, query));
    const { user, system } = process.cpuUsage(began);
    let differing = 0;
    for (const [at, { query }] of set.queries.entries())
      if (String(await together.search(set.name, query)) !== String(found[at])) differing++;
    const scored = set.queries.map(({ gold }, at) => ({ gold, ids: found[at] }));
    // Parameters were chosen on the others.
    const heldOut = scored.filter((_, at) => at % 2 === 0);
    console.log(
      row([
        set.name,
        String(set.queries.length),
        ...depths.map((depth) => recall(scored, depth)),
        complete(scored),
        `${recall(heldOut, 5)}, ${complete(heldOut)}`,
        String(differing),
        `${((user + system) / 1_000 / set.queries.length).toFixed(2)} ms`,
      ]),
    );
  } finally {
    await alone.stop();
  }
}

function recall(scored, depth) {
  return share(scored.map((one) => met(one, depth)));
}

function complete(scored) {
  return share(scored.map((one) => (met(one, 10) === 1 ? 1 : 0)));
}

function met({ gold, ids }, depth) {
  const first = new Set(ids.slice(0, depth));
  return gold.filter((need) => need.some((id) => first.has(id))).length / gold.length;
}

function share(values) {
  return (values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(3).replace(/^0/, '');
}
