import { SearchIndex } from '../../dist/search/search-index.js';
import { head, row } from '../statistics.js';

const depths = [1, 5, 10];

/** The share of wanted tools among the first results, for each set. */
export function benchRecall(sets) {
  console.log('\n### Finding: share of the gold answers among the first results\n');
  console.log(
    head(['set', 'tools / queries', ...depths.map((depth) => `R@${depth}`), 'all gold@10', 'CPU per query']),
  );
  for (const { name, queries, documents } of sets) {
    const index = new SearchIndex();
    for (const document of documents) index.add(document);
    const sums = depths.map(() => 0);
    let complete = 0;
    const began = process.cpuUsage();
    for (const { query, gold } of queries) {
      const found = index.search({ query, limit: 10 }).hits.map(({ key }) => key);
      const met = (depth) =>
        gold.filter((need) => need.some((id) => found.slice(0, depth).includes(id))).length / gold.length;
      depths.forEach((depth, at) => (sums[at] += met(depth)));
      if (met(10) === 1) complete++;
    }
    const { user, system } = process.cpuUsage(began);
    const share = (sum) => (sum / queries.length).toFixed(3).replace(/^0/, '');
    const ms = (user + system) / 1_000 / queries.length;
    console.log(
      row([
        name,
        `${documents.length} / ${queries.length}`,
        ...sums.map(share),
        share(complete),
        `${ms.toFixed(2)} ms`,
      ]),
    );
  }
}
