import {
  latencyOf,
  readPivot,
  readStatistics,
  readUsage,
  type Sums,
  readTokens,
} from '../../../calls/statistics.ts';
import { percentile } from '../../../lib/histogram.ts';
import { analyticsRoutes } from '../../contract/analytics.ts';
import type { AppContext } from '../../app-context.ts';
import { bind, type BoundRoute } from '../bind.ts';
import { time } from '../views.ts';
import type { Tool } from '../../../domain/tool.ts';
import { readJson } from '../../../lib/schema/read-json.ts';
import { replyOutline } from '../../../replies/outline-reply.ts';
import { type FieldSuggestion, suggestFields } from '../../../replies/suggest-fields.ts';

/** Calls over time and by group. */
export function bindAnalytics(context: AppContext): BoundRoute[] {
  const { store, recorder, registry, now } = context;
  return [
    bind(analyticsRoutes.suggestions, async () => {
      const found = await readReplySuggestions(context);
      return {
        items: found.map(({ tool, fields, ...numbers }) => ({
          ...numbers,
          tool: tool.id,
          toolName: tool.name,
          api: registry.snapshot.apis.get(tool.apiId)?.slug ?? '',
          fields: [...fields],
        })),
      };
    }),
    bind(analyticsRoutes.usage, async ({ query }) => {
      await recorder.flush();
      const used = await readUsage(store.rollups, query.by, now());
      return {
        items: used.map(({ name, calls, errors, histogram, lastHourMs, hours }) => ({
          name,
          calls,
          errors,
          p95Ms: percentile(histogram, 0.95),
          lastUsed: time(lastHourMs),
          hours: hours.map(([called, failed]): [number, number] => [called, failed]),
        })),
      };
    }),
    bind(analyticsRoutes.pivot, async ({ query }) => {
      await recorder.flush();
      const { callers, tools, cells } = await readPivot(store.rollups, query.range, now());
      return {
        callers: [...callers],
        tools: [...tools],
        cells: cells.map((row) => row.map(([calls, errors]) => ({ calls, errors }))),
      };
    }),
    bind(analyticsRoutes.read, async ({ query }) => {
      await recorder.flush();
      const found = await readStatistics(store.rollups, query, now());
      return {
        from: time(found.fromMs),
        to: time(found.toMs),
        stepMs: found.stepMs,
        totals: { ...viewSums(found.totals), latency: latencyOf(found.totals) },
        previous: { ...viewSums(found.previous), latency: latencyOf(found.previous) },
        series: found.series.map((point) => ({
          at: time(point.startMs),
          ...viewSums(point),
          p50Ms: percentile(point.histogram, 0.5),
          p95Ms: percentile(point.histogram, 0.95),
          p99Ms: percentile(point.histogram, 0.99),
        })),
        faults: found.faults && found.faults.map((fault) => ({ ...fault })),
        groups: found.groups.map((group) => ({
          name: group.name,
          label: group.label,
          ...viewSums(group),
          latency: latencyOf(group),
        })),
        errorMap: {
          columns: found.errorMap.columns.map(time),
          rows: found.errorMap.rows.map((row) => ({ ...row, errors: [...row.errors] })),
        },
      };
    }),
  ];
}

function viewSums({ calls, errors, requestBytes, replyBytes, outputTokens, savedTokens }: Sums) {
  return { calls, errors, requestBytes, replyBytes, outputTokens, savedTokens };
}

/** A tool with long replies, and the fields worth keeping. */
interface ReplySuggestion extends FieldSuggestion {
  readonly tool: Tool;
  readonly calls: number;
  /** Tokens of a whole reply, on average. */
  readonly replyTokens: number;
  /** Tokens that models read of one now, on average. */
  readonly readTokens: number;
}

const minTokens = 2_000;
const maxTools = 50;
const maxCallsPerTool = 50;

/**
 * Suggests fields for the most expensive tools of the last week that have no shaping yet, based on their recorded
 * replies.
 */
async function readReplySuggestions(
  context: Pick<AppContext, 'store' | 'recorder' | 'registry' | 'now'>,
): Promise<readonly ReplySuggestion[]> {
  const { store, recorder, registry, now } = context;
  await recorder.flush();
  const question = { range: '7d', by: 'tool', top: maxTools, order: 'tokens' } as const;
  const { groups } = await readStatistics(store.rollups, question, now());
  const suggestions = new Map<string, ReplySuggestion>();
  for (const group of groups) {
    const replyTokens = group.outputTokens / Math.max(1, group.calls - group.errors);
    if (replyTokens < minTokens) continue;
    const { calls } = await store.calls.find({ toolName: group.name, outcome: 'ok' }, maxCallsPerTool);
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
