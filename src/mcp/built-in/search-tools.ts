import type { CallToolResult } from '@modelcontextprotocol/server';
import { kindOf, type ToolKind, toolKinds } from '../../domain/tool.ts';
import { scarceRoom, signatureOf, usualRoom } from '../../search/signature.ts';
import { tokensAtMost } from '../../search/tokens-at-most.ts';
import { defaultResults, maxResults } from './definitions.ts';
import { refusal } from './refusal.ts';
import type { FoundTool, FoundTools, ToolQuery } from './tool-search.ts';

/** One result of `search_tools`. */
export interface SearchResult {
  readonly name: string;
  readonly api: string;
  readonly method: string;
  readonly path: string;
  readonly kind: ToolKind;
  readonly signature: string;
  readonly description: string;
  readonly partial: boolean;
  readonly needs: readonly string[];
}

/** The note of a search that could only use names. */
export const indexingNote =
  'The search index is still being built, so these results match by tool name only; search again in a few seconds for better ones.';

// The token budget per requested result, for text and structure together.
const tokensForEach = 290;

/** Reads the arguments of `search_tools`; returns an error result if they are invalid. */
export function readQuery(args: Readonly<Record<string, unknown>>): ToolQuery | CallToolResult {
  const { query, api, kind, limit = defaultResults } = args;
  if (typeof query !== 'string' || query.trim() === '')
    return refusal('query must be a string that says what you want to do, such as "list open issues".');
  if (api !== undefined && typeof api !== 'string')
    return refusal('api must be a string: the name of an API.');
  if (kind !== undefined && !isKind(kind)) return refusal(`kind must be one of ${toolKinds.join(', ')}.`);
  if (!Number.isInteger(limit) || Number(limit) < 1 || Number(limit) > maxResults)
    return refusal(`limit must be a whole number from 1 to ${maxResults}.`);
  return { query, api, kind, limit: Number(limit) };
}

/** How scripts refer to a tool, in code mode. */
type PathOf = ((listed: FoundTool['listed']) => string) | undefined;

/** The answer of `search_tools`: a line per tool to read, and the same as structured content. */
export function searchAnswer(found: FoundTools, { api, limit }: ToolQuery, pathOf?: PathOf): CallToolResult {
  const results = fitting(found.tools, limit * tokensForEach, pathOf);
  return {
    content: [{ type: 'text', text: textOf(results, found, api) }],
    structuredContent: {
      results: results.map((result) => ({ ...result })),
      total: found.total,
      ...(found.isIndexing && { note: indexingNote }),
    },
  };
}

/** A found tool in the form of a result. */
export function resultOf(
  { listed, signature: bySignature, needs }: FoundTool,
  pathOf?: PathOf,
  room = usualRoom,
): SearchResult {
  const { tool, api } = listed.compiled;
  const signature =
    pathOf === undefined
      ? bySignature
      : signatureOf(tool, pathOf(listed), listed.description, { ...room, isOneObject: true });
  return {
    name: listed.name,
    api: api.slug,
    method: tool.operation.method,
    path: tool.operation.path,
    kind: kindOf(tool),
    signature: signature.text,
    description: signature.description,
    partial: signature.partial,
    needs,
  };
}

/** As many results as fit: first the longest ones shorten their arguments, then the last ones are left out. */
function fitting(tools: readonly FoundTool[], budget: number, pathOf: PathOf): readonly SearchResult[] {
  const kept = tools.map((found) => resultOf(found, pathOf));
  const costs = kept.map(costOf);
  const all = () => costs.reduce((sum, cost) => sum + cost, 0);
  const byCost = costs.map((cost, at) => ({ cost, at })).sort((one, other) => other.cost - one.cost);
  for (const { at } of byCost) {
    if (all() <= budget) break;
    const { listed, needs } = tools[at]!;
    const signature = signatureOf(listed.compiled.tool, listed.name, listed.description, scarceRoom);
    kept[at] = resultOf({ listed, needs, signature }, pathOf, scarceRoom);
    costs[at] = costOf(kept[at]);
  }
  while (kept.length > 1 && all() > budget) {
    kept.pop();
    costs.pop();
  }
  return kept;
}

// The line is in both the text and the structured content.
function costOf(result: SearchResult): number {
  return tokensAtMost(JSON.stringify(result)) + tokensAtMost(lineOf(result));
}

function lineOf({ signature, needs }: SearchResult): string {
  return needs.length === 0 ? signature : `${signature} needs ${needs.join(', ')}`;
}

function textOf(
  results: readonly SearchResult[],
  { total, isIndexing }: FoundTools,
  api: string | undefined,
): string {
  const more = total - results.length;
  return [
    ...(results.length === 0 ? [nothingFound(api)] : results.map(lineOf)),
    ...(more > 0 ? [`(${more} more)`] : []),
    ...(isIndexing ? [indexingNote] : []),
  ].join('\n');
}

function nothingFound(api: string | undefined): string {
  return `Nothing was found${api === undefined ? '' : ` in the API "${api.slice(0, 60)}"`}. Try other words for what you want to do${api === undefined ? '' : ', or leave api out'}.`;
}

function isKind(kind: unknown): kind is ToolKind {
  return toolKinds.some((one) => one === kind);
}
