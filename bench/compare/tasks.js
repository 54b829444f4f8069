import { textOf } from '../code/client.js';
import { entitiesOf, referenceScript } from '../code/reference-script.js';
import { operationsOf, startStandIn } from '../code/stand-in.js';
import { AsyncFunction, solveTasks, tokensOf } from '../code/tasks.js';
import { pinTo } from '../processes.js';
import { median, whole } from '../statistics.js';
import { ask, listOf } from './ask.js';

const modes = ['direct', 'search', 'code'];

/** The tokens of a peer's list, and the median of what the tasks of a set read and write, as cells of a table. */
export async function tokensOfTasks(peer, set) {
  if (peer.name === 'Handrail') {
    const { lists, solved } = await solveTasks(set);
    const right = solved.filter(({ isRight }) => isRight);
    return [
      modes.map((mode) => whole(lists[mode])).join(' / '),
      `${modes.map((mode) => whole(median(right.map(({ tokens }) => tokens[mode])))).join(' / ')}${shareOf(right, solved)}`,
    ];
  }
  const operations = operationsOf(set.document);
  const standIn = await startStandIn(operations);
  const document = withoutAuth(set.document, standIn.url);
  let started;
  try {
    started = await peer.start(standIn.url, pinTo(0), document);
    const tools = await listOf(started);
    if (peer.isRest) return [whole(tokensOf(await (await fetch(started.documentUrl)).text())), '– (not MCP)'];
    const solved = [];
    for (const { query, gold } of set.queries) solved.push(await solve(query, gold, tools));
    const right = solved.filter((tokens) => tokens !== null);
    const cost = right.length === 0 ? '–' : whole(median(right));
    return [whole(tokensOf(tools)), `${cost}${shareOf(right, solved)}`];
  } finally {
    await started?.stop();
    standIn.stop();
  }

  /** The tokens of a task's calls with their replies; null if one of them isn't possible or wasn't answered. */
  async function solve(query, gold, tools) {
    const chain = gold.map(([key]) => operations.find((one) => one.key === key));
    const names = new Map(chain.map((one) => [one.key, nameOf(one, set.document, tools)]));
    if ([...names.values()].includes(undefined)) return null;
    const context = {
      nameOf: ({ key }) => `tools[${JSON.stringify(key)}]`,
      entities: entitiesOf(operations),
    };
    const { script } = referenceScript(query, chain, context);
    let tokens = 0;
    let isAnswered = true;
    const call = async (operation, args = {}) => {
      const wrapped = { name: names.get(operation.key), arguments: args };
      const result = await ask(started, 'tools/call', wrapped);
      isAnswered &&= result.isError !== true;
      tokens += tokensOf(wrapped) + tokensOf(textOf(result));
      return operation.reply;
    };
    standIn.takeAsked();
    await new AsyncFunction('tools', script)(
      Object.fromEntries(chain.map((one) => [one.key, (args) => call(one, args)])),
    );
    const isRight = standIn.takeAsked().join() === chain.map(({ key }) => key).join();
    return isAnswered && isRight ? tokens : null;
  }
}

function shareOf(right, solved) {
  return right.length === solved.length ? '' : ` (${right.length} of ${solved.length} tasks)`;
}

/** The stand-in needs no key; servers are at its address. */
function withoutAuth(document, url) {
  const { security: _security, ...rest } = document;
  const { securitySchemes: _schemes, ...components } = document.components ?? {};
  return { ...rest, components, servers: [{ url }] };
}

const plain = (text) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** What a peer calls an operation: its ID, or method and path, in some spelling; long names are cut. */
function nameOf({ method, path }, document, tools) {
  const { operationId = '' } = document.paths[path][method.toLowerCase()];
  const wanted = [plain(operationId), plain(`${method}${path}`)];
  const names = tools.map(({ name }) => name);
  return (
    names.find((name) => wanted.includes(plain(name))) ??
    names.find((name) => plain(name).length > 30 && wanted.some((one) => one.startsWith(plain(name))))
  );
}
