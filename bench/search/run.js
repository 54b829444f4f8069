import { documentOf } from '../../dist/search/tool-document.js';
import { benchAnswers } from './answers.js';
import { benchLists, readCorpus } from './corpus.js';
import { benchRecall } from './recall.js';
import { readSets } from './sets.js';
import { benchSizes } from './sizes.js';

/** Measures search and the cost of lists, and prints the tables as Markdown. */
export async function runSearchBench() {
  const sets = readSets();
  if (sets === null) console.log('No search sets: name their folder in HANDRAIL_SEARCH_SETS.');
  else await benchRecall(sets);
  const corpus = readCorpus();
  if (corpus === null) {
    console.log('No corpus: name its folder in HANDRAIL_CORPUS.');
    return;
  }
  const documents = corpus.flatMap(({ file, api, tools }) =>
    tools.map((tool) => documentOf(`${file} ${tool.name}`, tool, { slug: api.wantedSlug, name: api.name })),
  );
  const queries = sets?.flatMap((set) => set.queries.map(({ query }) => query)) ?? [
    'list users',
    'delete an order',
  ];
  benchSizes(documents, queries);
  await benchAnswers(corpus);
  benchLists(corpus);
}
