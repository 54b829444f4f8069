import type { DescribedOperation } from '../../domain/description.ts';
import { fitToolName, hashedToolName } from '../../domain/names.ts';
import { contentOf, isGone, type Tool, type ToolContent } from '../../domain/tool.ts';

/** Finds the existing tool for each operation: by its key, by its key without parameter names, by its name. */
export function matchTools(
  operations: readonly DescribedOperation[],
  tools: readonly Tool[],
): Map<DescribedOperation, Tool> {
  const matches = new Map<DescribedOperation, Tool>();
  const free = new Set(tools);
  const pass = (
    keyOfTool: (tool: Tool) => string,
    keyOfOperation: (operation: DescribedOperation) => string,
  ): void => {
    const index = new Map<string, Tool>();
    for (const tool of free) if (!index.has(keyOfTool(tool))) index.set(keyOfTool(tool), tool);
    for (const operation of operations) {
      if (!operation.content || matches.has(operation)) continue;
      const tool = index.get(keyOfOperation(operation));
      if (!tool || !free.has(tool)) continue;
      matches.set(operation, tool);
      free.delete(tool);
    }
  };
  pass(
    (tool) => tool.source?.operationKey ?? `[${tool.id}]`,
    (operation) => operation.key,
  );
  pass(
    (tool) => plainKey(tool.source?.operationKey ?? `[${tool.id}]`),
    (operation) => plainKey(operation.key),
  );
  pass(
    (tool) => importedContent(tool).name,
    (operation) => fitToolName(operation.wantedName),
  );
  return matches;
}

/** An operation's key without the names of its path variables, which documents often rename. */
export function plainKey(key: string): string {
  return key.replace(/\{[^{}]*\}/g, '{}');
}

/** A tool as described by the document at the last import. */
export function importedContent(tool: Tool): ToolContent {
  return tool.source?.imported ?? contentOf(tool);
}

/** A known operation keeps its tool's name; new ones get names that no tool of the API has. */
export function giveNames(
  operations: readonly DescribedOperation[],
  matches: ReadonlyMap<DescribedOperation, Tool>,
  tools: readonly Tool[],
): Map<DescribedOperation, string> {
  const names = new Map<DescribedOperation, string>();
  const taken = new Set(tools.map((tool) => tool.name));
  const swaps = findSwaps(matches);
  for (const [operation, tool] of matches) {
    const before = importedContent(tool).name;
    // Its name may have been reused in the meantime.
    if (isGone(tool) && taken.has(before)) continue;
    const wanted = fitToolName(operation.wantedName);
    if (
      before === wanted ||
      swaps(operation) ||
      before === hashedToolName(operation.wantedName) ||
      isNumbered(before, wanted)
    ) {
      names.set(operation, before);
      taken.add(before);
    }
  }
  for (const operation of operations) {
    if (!operation.content || names.has(operation)) continue;
    const known = matches.get(operation);
    const own = known === undefined || isGone(known) ? undefined : known.name;
    const name = fitToolName(operation.wantedName, (candidate) => taken.has(candidate) && candidate !== own);
    names.set(operation, name);
    taken.add(name);
  }
  return names;
}

// A longer cycle of names is not an accidental swap.
const maxSwapLength = 32;

/**
 * Finds operations whose new names are each other's old ones. They keep their names: if the names were swapped, clients
 * that call by name would do something else.
 */
function findSwaps(
  matches: ReadonlyMap<DescribedOperation, Tool>,
): (operation: DescribedOperation) => boolean {
  const holders = new Map([...matches].map(([operation, tool]) => [importedContent(tool).name, operation]));
  const holderOfWanted = (operation: DescribedOperation): DescribedOperation | undefined =>
    holders.get(fitToolName(operation.wantedName));
  return (operation) => {
    const seen = new Set<DescribedOperation>();
    let next = holderOfWanted(operation);
    while (next !== undefined && next !== operation && !seen.has(next) && seen.size < maxSwapLength) {
      seen.add(next);
      next = holderOfWanted(next);
    }
    return next === operation && seen.size > 0;
  };
}

// `list_2` was made from `list` because that was taken.
function isNumbered(name: string, wanted: string): boolean {
  const number = /_(\d+)$/.exec(name);
  return (
    number !== null &&
    wanted.startsWith(name.slice(0, -number[0].length).slice(0, 50)) &&
    name.length - number[0].length <= wanted.length
  );
}
