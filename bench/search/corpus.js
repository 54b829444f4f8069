import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { inputSchemaOf } from '../../dist/domain/tool.js';
import { parseImport } from '../../dist/import/reading/parse-import.js';
import { leanSchema } from '../../dist/listing/lean-schema.js';
import { advertisedOutput } from '../../dist/pipeline/reply/output-schema.js';
import { countTokens } from '../../dist/listing/tokens/count-tokens.js';
import { searchCostTexts } from '../../dist/mcp/built-in/definitions.js';
import { head, row, whole } from '../statistics.js';

/** The OpenAPI documents of the corpus in HANDRAIL_CORPUS, each with its tools; null if there is none. */
export function readCorpus() {
  const folder = process.env.HANDRAIL_CORPUS ?? new URL('../../../shared/corpus', import.meta.url).pathname;
  if (!existsSync(join(folder, 'manifest.json'))) return null;
  return JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
    .filter(({ file, multifile }) => file.startsWith('openapi/') && !multifile)
    .filter(({ file }) => statSync(join(folder, file)).isFile())
    .map(({ file }) => {
      const [api] = parseImport({ files: [{ name: file, content: readFileSync(join(folder, file)) }] }).apis;
      return { file, api, tools: api.operations.flatMap(({ content }) => content ?? []) };
    })
    .filter(({ tools }) => tools.length > 0);
}

/** What each API's list costs a model: with everything, as served, and in search mode. */
export function benchLists(documents) {
  console.log('\n### Lists of tools: tokens (o200k) for each API\n');
  console.log(head(['API', 'tools', 'everything', 'direct', 'share', 'shortened tools', 'search']));
  const sizes = [];
  const sums = { tools: 0, full: 0, lean: 0, fullChars: 0, leanChars: 0, folded: 0 };
  for (const { file, api, tools } of documents) {
    let folded = 0;
    const full = tools.map((tool) => {
      const outputSchema = advertisedOutput(tool.operation.replySchema)?.schema;
      return {
        ...headOf(tool),
        inputSchema: inputSchemaOf(tool.operation),
        ...(outputSchema && { outputSchema }),
      };
    });
    const lean = tools.map((tool) => {
      const made = leanSchema(inputSchemaOf(tool.operation));
      if (made.folded) folded++;
      return { ...headOf(tool), inputSchema: made.schema };
    });
    const texts = [JSON.stringify(full), JSON.stringify(lean)];
    const tokens = texts.map(countTokens);
    console.log(
      row([
        file.replace(/^openapi\//, ''),
        whole(tools.length),
        whole(tokens[0]),
        whole(tokens[1]),
        percent(tokens[1] / tokens[0]),
        whole(folded),
        whole(searchTokens([{ api, tools }])),
      ]),
    );
    sizes.push([texts[0].length, texts[1].length]);
    sums.tools += tools.length;
    sums.full += tokens[0];
    sums.lean += tokens[1];
    sums.fullChars += texts[0].length;
    sums.leanChars += texts[1].length;
    sums.folded += folded;
  }
  const { tools, full, lean, folded } = sums;
  const searched = whole(searchTokens(documents));
  console.log(
    row(['all', whole(tools), whole(full), whole(lean), percent(lean / full), whole(folded), searched]),
  );
  console.log(
    `\nIn characters: ${whole(sums.leanChars)} of ${whole(sums.fullChars)}, ${percent(sums.leanChars / sums.fullChars)}; without the two largest ${percent(shareWithoutLargest(sizes, 2))}.`,
  );
}

function shareWithoutLargest(sizes, many) {
  const rest = sizes.toSorted(([one], [other]) => other - one).slice(many);
  const sum = (at) => rest.reduce((all, size) => all + size[at], 0);
  return sum(1) / sum(0);
}

/** What a client reads of a server with these tools before it searches: the list and the instructions. */
function searchTokens(documents) {
  const tools = documents.flatMap(({ api, tools: own }) =>
    own.map(({ name }) => ({
      compiled: { tool: { id: name }, api: { slug: api.wantedSlug, name: api.name } },
    })),
  );
  return searchCostTexts({ server: {}, tools })
    .map(countTokens)
    .reduce((sum, tokens) => sum + tokens, 0);
}

function headOf({ name, title, description, annotations }) {
  return { name, ...(title !== undefined && title !== description && { title }), description, annotations };
}

function percent(share) {
  return `${(share * 100).toFixed(1)}%`;
}
