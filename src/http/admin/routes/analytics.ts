import { latencyOf, readStatistics, readUsage, type Sums } from '../../../calls/statistics.ts';
import { percentile } from '../../../lib/histogram.ts';
import { analyticsRoutes } from '../../contract/analytics.ts';
import type { AppContext } from '../../app-context.ts';
import { bind, type BoundRoute } from '../bind.ts';
import { readReplySuggestions } from '../reply-suggestions.ts';
import { time } from '../views.ts';

/** Calls over time and by what they have in common. */
export function bindAnalytics(context: AppContext): BoundRoute[] {
  const { store, recorder, registry, now } = context;
  return [
    bind(analyticsRoutes.suggestions, async () => {
      const found = await readReplySuggestions(context);
      return {
        items: found.map(({ tool, fields, ...figures }) => ({
          ...figures,
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
