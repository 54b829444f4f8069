import { readStatistics, readTokens } from '../../calls/statistics.ts';
import type { Tool } from '../../domain/tool.ts';
import { readJson } from '../../lib/schema/read-json.ts';
import { replyOutline } from '../../replies/outline-reply.ts';
import { type FieldSuggestion, suggestFields } from '../../replies/suggest-fields.ts';
import type { AppContext } from '../app-context.ts';

/** A tool whose replies are long, and the fields of them that would do. */
export interface ReplySuggestion extends FieldSuggestion {
  readonly tool: Tool;
  readonly calls: number;
  /** What a reply is, in tokens, all of it. */
  readonly replyTokens: number;
  /** What models read of one now. */
  readonly readTokens: number;
}

const leastTokens = 2_000;
const mostTools = 50;
const lookedAt = 50;

/** Suggestions for the tools that cost most in the last week and are not shaped yet, made of what was recorded of their replies. */
export async function readReplySuggestions(
  context: Pick<AppContext, 'store' | 'recorder' | 'registry' | 'now'>,
): Promise<readonly ReplySuggestion[]> {
  const { store, recorder, registry, now } = context;
  await recorder.flush();
  const question = { range: '7d', by: 'tool', top: mostTools, order: 'tokens' } as const;
  const { groups } = await readStatistics(store.rollups, question, now());
  const suggestions = new Map<string, ReplySuggestion>();
  for (const group of groups) {
    const replyTokens = group.outputTokens / Math.max(1, group.calls - group.errors);
    if (replyTokens < leastTokens) continue;
    const { calls } = await store.calls.find({ toolName: group.name, outcome: 'ok' }, lookedAt);
    for (const { toolId, replyOutline: outlineText } of calls) {
      const tool = toolId === null ? undefined : registry.snapshot.tools.get(toolId);
      if (tool === undefined || suggestions.has(tool.id) || isShaped(tool) || outlineText === null) continue;
      const outline = readJson(replyOutline, outlineText);
      const suggestion = outline && suggestFields(outline);
      if (!suggestion) continue;
      suggestions.set(tool.id, {
        ...suggestion,
        tool,
        calls: group.calls,
        replyTokens: Math.round(replyTokens),
        readTokens: Math.round(readTokens(group) / Math.max(1, group.calls)),
      });
    }
  }
  return [...suggestions.values()];
}

function isShaped({ reply }: Tool): boolean {
  return reply.select !== undefined || reply.template !== undefined;
}
