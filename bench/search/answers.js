import { searchAnswer } from '../../dist/mcp/built-in/search-tools.js';
import { createToolSearch } from '../../dist/mcp/built-in/tool-search.js';
import { countTokens } from '../../dist/listing/tokens/count-tokens.js';
import { signatureOf } from '../../dist/search/signature.js';
import { head, row, whole } from '../statistics.js';

const anyone = { id: 'anonymous', kind: 'anonymous', label: 'anyone' };
const queriesOfEach = 25;
const limit = 5;
// An API whose operator has set nothing.
const unguarded = { auth: { kind: 'none' }, headers: {}, baseUrl: 'https://api.example.com' };

/** The cost of signatures and complete search answers, over every API of the corpus. */
export async function benchAnswers(documents) {
  const signatures = documents.flatMap(({ tools }) =>
    tools.map((tool) => {
      const { text, partial } = signatureOf(tool, tool.name, tool.description);
      return { tokens: countTokens(text), partial };
    }),
  );
  const answers = [];
  for (const document of documents) answers.push(...(await answersOf(document)));
  console.log('\n### Answers of a search: tokens (o200k)\n');
  console.log(head(['what', 'how many', 'median', 'p95', 'largest', 'something left out']));
  const partial = signatures.filter((one) => one.partial).length / signatures.length;
  const line = (name, tokens, left) => {
    const sorted = tokens.toSorted((one, other) => one - other);
    const at = (share) => whole(sorted[Math.floor((sorted.length - 1) * share)]);
    console.log(row([name, whole(sorted.length), at(0.5), at(0.95), at(1), left]));
  };
  line(
    'signatures',
    signatures.map(({ tokens }) => tokens),
    `${(partial * 100).toFixed(1)}%`,
  );
  line(`answers with ${limit} results`, answers, '');
}

/** The cost of answers to queries for an API's tools by their descriptions. */
async function answersOf({ api, tools }) {
  const owner = { id: api.wantedSlug, slug: api.wantedSlug, name: api.name, ...unguarded };
  const listed = tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    compiled: { tool: { ...tool, id: tool.name }, api: owner },
  }));
  const view = { server: { id: 'bench', overrides: {} }, tools: listed };
  const search = createToolSearch();
  const step = Math.max(1, Math.floor(tools.length / queriesOfEach));
  const costs = [];
  for (let at = 0; at < tools.length; at += step) {
    const query = tools[at].description.slice(0, 200) || tools[at].name;
    const asked = { query, limit };
    const { content } = searchAnswer(await search.find(view, anyone, asked), asked);
    costs.push(countTokens(content[0].text));
  }
  return costs;
}
