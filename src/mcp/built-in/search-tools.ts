import type { CallToolResult } from '@modelcontextprotocol/server';
import { mayCallFromCode } from '../../code/code-limits.ts';
import type { Server } from '../../domain/server.ts';
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
  /** Whether scripts may not call it. */
  readonly isRefused: boolean;
}

/** The note of a search that could only use names. */
export const indexingNote =
  'The search index is still being built, so these results match by tool name only; search again in a few seconds for better ones.';

/** Added to a tool that scripts may not call. */
export const refusedNote = 'scripts on this server may not call it: its operator can allow it';

// The token budget per requested result.
const tokensForEach = 150;
const maxTags = 6;

/** Reads the arguments of `search_tools`; returns an error result if they are invalid. */
export function readQuery(args: Readonly<Record<string, unknown>>): ToolQuery | CallToolResult {
  const { query, api, tag, kind, limit = defaultResults } = args;
  if (typeof query !== 'string' || query.trim() === '')
    return refusal('query must be a string that says what you want to do, such as "list open issues".');
  if (api !== undefined && typeof api !== 'string')
    return refusal('api must be a string: the name of an API.');
  if (tag !== undefined && typeof tag !== 'string')
    return refusal('tag must be a string: a tag that a search named.');
  if (kind !== undefined && !isKind(kind)) return refusal(`kind must be one of ${toolKinds.join(', ')}.`);
  if (!Number.isInteger(limit) || Number(limit) < 1 || Number(limit) > maxResults)
    return refusal(`limit must be a whole number from 1 to ${maxResults}.`);
  return { query, api, tag, kind, limit: Number(limit) };
}

/** How scripts refer to a tool, and whether they may call it, in code mode. */
interface InCode {
  readonly pathOf: (listed: FoundTool['listed']) => string;
  readonly server: Pick<Server, 'code'>;
}

/** The answer of `search_tools`: a line per tool. Some clients show structured content instead of text, so there is none. */
export function searchAnswer(found: FoundTools, query: ToolQuery, inCode?: InCode): CallToolResult {
  const results = fitting(found.tools, query.limit * tokensForEach, inCode);
  return { content: [{ type: 'text', text: textOf(results, found, query) }] };
}

/** A found tool in the form of a result. */
export function resultOf(
  { listed, signature: bySignature, needs }: FoundTool,
  inCode?: InCode,
  room = usualRoom,
): SearchResult {
  const { tool, api } = listed.compiled;
  const signature =
    inCode === undefined
      ? bySignature
      : signatureOf(tool, inCode.pathOf(listed), listed.description, { ...room, isOneObject: true });
  return {
    name: listed.name,
    api: api.slug,
    method: tool.operation.method,
    path: tool.operation.path,
    kind: kindOf(tool),
    signature: signature.text,
    description: signature.description,
    partial: signature.partial,
    needs: needs.map((needed) => inCode?.pathOf(needed) ?? needed.name),
    isRefused: inCode !== undefined && !mayCallFromCode(inCode.server, kindOf(tool)),
  };
}

/** As many results as fit: first the longest ones shorten their arguments, then the last ones are left out. */
function fitting(tools: readonly FoundTool[], budget: number, inCode?: InCode): readonly SearchResult[] {
  const kept = tools.map((found) => resultOf(found, inCode));
  const costs = kept.map(costOf);
  const all = () => costs.reduce((sum, cost) => sum + cost, 0);
  const byCost = costs.map((cost, at) => ({ cost, at })).sort((one, other) => other.cost - one.cost);
  for (const { at } of byCost) {
    if (all() <= budget) break;
    const { listed, needs } = tools[at]!;
    const signature = signatureOf(listed.compiled.tool, listed.name, listed.description, scarceRoom);
    kept[at] = resultOf({ listed, needs, signature }, inCode, scarceRoom);
    costs[at] = costOf(kept[at]);
  }
  while (kept.length > 1 && all() > budget) {
    kept.pop();
    costs.pop();
  }
  return kept;
}

function costOf(result: SearchResult): number {
  return tokensAtMost(lineOf(result));
}

function lineOf({ signature, needs, isRefused }: SearchResult): string {
  const line = needs.length === 0 ? signature : `${signature} needs ${needs.join(', ')}`;
  return isRefused ? `${line} (${refusedNote})` : line;
}

function textOf(results: readonly SearchResult[], found: FoundTools, query: ToolQuery): string {
  return [
    ...(results.length === 0 ? [nothingFound(query)] : results.map(lineOf)),
    ...(found.total > results.length ? [narrowingLine(found, query)] : []),
    ...(found.isIndexing ? [indexingNote] : []),
  ].join('\n');
}

/** What would narrow a search that has more matches than were shown: kinds and tags of the next best ones. */
function narrowingLine({ others }: FoundTools, { kind, tag }: ToolQuery): string {
  const ways = [
    ...(kind === undefined && others.kinds.length > 1 ? [`kind: ${others.kinds.join(', ')}`] : []),
    ...(tag === undefined && others.tags.length > 1
      ? [`tag: ${others.tags.slice(0, maxTags).join(', ')}`]
      : []),
  ];
  return ways.length === 0
    ? 'More tools match: add words, or raise limit.'
    : `More tools match. Narrow by ${ways.join('; or by ')}; or add words.`;
}

function nothingFound({ api, tag }: ToolQuery): string {
  const filters = [
    ...(api === undefined ? [] : [`in the API "${api.slice(0, 60)}"`]),
    ...(tag === undefined ? [] : [`with the tag "${tag.slice(0, 60)}"`]),
  ];
  const left = [...(api === undefined ? [] : ['api']), ...(tag === undefined ? [] : ['tag'])].join(' and ');
  return `Nothing was found${filters.map((filter) => ` ${filter}`).join('')}. Try other words for what you want to do${left === '' ? '' : `, or leave ${left} out`}.`;
}

function isKind(kind: unknown): kind is ToolKind {
  return toolKinds.some((one) => one === kind);
}
