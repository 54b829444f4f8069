import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { countTokens } from '../../dist/listing/tokens/count-tokens.js';
import { pinTo } from '../processes.js';
import { head, median, row, whole } from '../statistics.js';
import { startHandrail } from '../variants.js';
import { mcpClient, textOf } from './client.js';
import { entitiesOf, referenceScript } from './reference-script.js';
import { operationsOf, startStandIn } from './stand-in.js';

/** The task sets whose gold is a chain of operations of a document; null if there is no folder with sets. */
export function readTaskSets(names = ['restbench-tmdb', 'restbench-spotify']) {
  const folder =
    process.env.HANDRAIL_SEARCH_SETS ?? new URL('../../../shared/search', import.meta.url).pathname;
  if (!existsSync(folder)) return null;
  return names
    .filter((name) => existsSync(join(folder, `${name}.json`)))
    .map((name) => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')))
    .filter(({ document }) => document !== undefined)
    .map(({ name, queries, document }) => ({
      name,
      queries,
      document: JSON.parse(readFileSync(join(folder, document), 'utf8')),
    }));
}

/** Makes a function of a script that awaits. */
export const AsyncFunction = (async () => {}).constructor;

/** Solves every task of a set in each mode, and prints the cost. */
export async function benchTasks(set) {
  const { lists, solved } = await solveTasks(set);
  tell(set.name, lists, solved);
}

/** Solves every task of a set in each mode, against a stand-in for its API. */
export async function solveTasks({ queries, document }) {
  const operations = operationsOf(document);
  const byKey = new Map(operations.map((operation) => [operation.key, operation]));
  const standIn = await startStandIn(operations);
  const gateway = await startHandrail(standIn.url, pinTo(0), {
    document: { ...document, servers: [{ url: standIn.url }] },
  });
  try {
    // The stand-in needs no authentication.
    await gateway.admin('PATCH', '/apis/bench', { auth: { kind: 'none' } });
    const { items } = await gateway.admin('GET', '/tool-index?server=bench');
    const nameByKey = new Map(items.map((tool) => [`${tool.method} ${tool.path}`, tool.name]));
    const nameOf = ({ key }) => `tools.bench[${JSON.stringify(nameByKey.get(key))}]`;
    const shortNameOf = (operation) => nameOf(operation).replace(/\["([A-Za-z_]\w*)"\]$/, '.$1');
    const clients = Object.fromEntries(
      ['direct', 'search', 'code'].map((mode) => [mode, mcpClient(gateway.target, mode)]),
    );
    const lists = {};
    for (const [mode, client] of Object.entries(clients)) lists[mode] = tokensOf(await client.list());
    const context = { nameOf: shortNameOf, entities: entitiesOf(operations) };
    const solved = [];
    for (const { query, gold } of queries) {
      const chain = gold.map(([key]) => byKey.get(key));
      const reference = referenceScript(query, chain, context);
      solved.push({ query, chain, ...reference, ...(await solve(query, reference.script, chain)) });
    }
    return { lists, solved };

    /** Runs a script, and makes its calls one by one, as a model would in each mode. */
    async function solve(query, script, chain) {
      standIn.takeAsked();
      const run = await gateway.admin('POST', '/servers/bench/run', { code: script });
      const asked = standIn.takeAsked();
      const result = textOf(await clients.code.call('run_code', { code: script }));
      const found = tokensOf(textOf(await clients.search.call('search_tools', { query })));
      const tokens = { direct: 0, search: found + tokensOf(query), code: found + tokensOf(query) };
      tokens.code += tokensOf(script) + tokensOf(result);
      // The same calls with the same arguments, by a model that passes on what it read.
      const call = async (operation, args = {}) => {
        const tool = nameByKey.get(operation.key);
        const reply = textOf(await clients.direct.call(tool, args));
        const kind =
          operation.method === 'GET' ? 'read' : operation.method === 'DELETE' ? 'destructive' : 'write';
        const wrapped = { name: tool, arguments: args };
        const searched = textOf(await clients.search.call(`call_${kind}`, wrapped));
        tokens.direct += tokensOf(wrapped) + tokensOf(reply);
        tokens.search += tokensOf(wrapped) + tokensOf(searched);
        return operation.reply;
      };
      const tools = {
        bench: Object.fromEntries(chain.map((one) => [nameByKey.get(one.key), (args) => call(one, args)])),
      };
      await new AsyncFunction('tools', script)(tools);
      const isRight =
        run.ok &&
        run.calls.every(({ outcome }) => outcome === 'ok') &&
        asked.join() === chain.map(({ key }) => key).join();
      return {
        run,
        isRight,
        tokens,
        resultTokens: tokensOf(result),
        reason: run.error?.message ?? asked.join(' → '),
      };
    }
  } finally {
    await gateway.stop();
    standIn.stop();
  }
}

function tell(name, lists, solved) {
  const right = solved.filter(({ isRight }) => isRight);
  const sum = (values) => values.reduce((one, other) => one + other, 0);
  const calls = solved.map(({ run }) => run.calls.length);
  const needed = sum(solved.map((one) => one.needed));
  console.log(`\n### ${name}: ${solved.length} tasks\n`);
  console.log(
    `${right.length} of ${solved.length} scripts ran and made the calls of the gold path in its order, each answered; ${sum(calls)} calls (${(sum(calls) / solved.length).toFixed(1)} a task). ` +
      `Of ${needed} required arguments after the first call, ${sum(solved.map((one) => one.passed))} were taken from an earlier reply.\n`,
  );
  for (const { query, reason, isRight } of solved) if (!isRight) console.log(`- failed: ${query}: ${reason}`);
  const results = solved.map(({ resultTokens }) => resultTokens);
  console.log(
    head(['mode', 'list', 'also read and written, median', 'largest', 'a task with its list, median']),
  );
  for (const mode of ['direct', 'search', 'code']) {
    const tokens = solved.map((one) => one.tokens[mode]);
    console.log(
      row([
        mode,
        whole(lists[mode]),
        whole(median(tokens)),
        whole(Math.max(...tokens)),
        whole(median(tokens) + lists[mode]),
      ]),
    );
  }
  const cpu = solved.map(({ run }) => run.cpuMs);
  const memory = solved.map(({ run }) => run.memoryBytes / 1e6);
  console.log(
    `\nResult of a script: median ${whole(median(results))} tokens, largest ${whole(Math.max(...results))}. Script: median ${whole(median(solved.map(({ script }) => tokensOf(script))))} tokens. ` +
      `A run in its machine: median ${median(cpu).toFixed(1)} ms of CPU and ${median(memory).toFixed(1)} MB, most ${Math.max(...cpu).toFixed(1)} ms and ${Math.max(...memory).toFixed(1)} MB.`,
  );
}

export function tokensOf(value) {
  return countTokens(typeof value === 'string' ? value : JSON.stringify(value));
}
