import { SearchIndex } from '../../dist/search/search-index.js';
import { head, row, whole } from '../statistics.js';

const sizes = [10, 1_000, 10_000];

/** The cost of an index of each size: memory, building, updating and querying. */
export function benchSizes(documents, queries) {
  console.log('\n### Index: size and CPU\n');
  console.log(head(['tools', 'memory', 'to build', 'to update one tool', 'per query']));
  for (const size of sizes) {
    const some = fill(documents, size);
    const before = heapMb();
    const build = cpuMs(() => {
      const index = new SearchIndex();
      for (const document of some) index.add(document);
      return index;
    });
    const index = build.result;
    index.search({ query: 'list', limit: 5 });
    const memory = heapMb() - before;
    const times = Math.min(size, 200);
    const change = cpuMs(() => {
      for (let n = 0; n < times; n++) {
        index.add(some[Math.floor((n / times) * size)]);
        index.search({ query: 'orders', limit: 1 });
      }
    });
    for (const query of queries) index.search({ query, limit: 5 });
    const ask = cpuMs(() => {
      for (const query of queries) index.search({ query, limit: 5 });
    });
    console.log(
      row([
        whole(size),
        `${memory.toFixed(1)} MB`,
        `${whole(build.ms)} ms`,
        `${(change.ms / times).toFixed(2)} ms`,
        `${(ask.ms / queries.length).toFixed(2)} ms`,
      ]),
    );
  }
}

/** As many documents as needed: real ones, repeated under other names if there are too few. */
function fill(documents, size) {
  const step = Math.max(1, Math.floor(documents.length / size));
  return Array.from({ length: size }, (_, n) => {
    const round = Math.floor((n * step) / documents.length);
    const document = documents[(n * step) % documents.length];
    return { ...document, key: `${n}`, api: round === 0 ? document.api : `${document.api}-${round}` };
  });
}

function cpuMs(work) {
  const began = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(began);
  return { result, ms: (user + system) / 1_000 };
}

function heapMb() {
  globalThis.gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 2 ** 20;
}
