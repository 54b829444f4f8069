/** Metrics whose sum over processes would be wrong: values that all processes share, and worst cases. */
const greatest = new Set([
  'handrail_registered_apis',
  'handrail_registered_tools',
  'handrail_registered_servers',
  'handrail_call_records_oldest_seconds',
  'handrail_registry_lag_seconds',
  'handrail_store_stalled_seconds',
  'handrail_kept_replies',
  'handrail_kept_reply_bytes',
  'handrail_call_records_unreadable',
  'handrail_budget_processes',
  'handrail_budgets_away',
  'handrail_build_info',
  'handrail_event_loop_lag_seconds',
]);
const least = new Set(['handrail_api_up', 'handrail_store_up', 'process_start_time_seconds']);

/**
 * Merges the metrics of a gateway's processes into one scrape: sums, except where only the maximum or minimum makes
 * sense. `ended` are processes that have exited, whose counters are added but not their gauges.
 */
export function mergeMetrics(texts: readonly string[], ended: readonly string[] = []): string {
  const heads = new Map<string, string[]>();
  const values = new Map<string, Map<string, number>>();
  const read = (text: string, onlyCounters: boolean): void => {
    let name = '';
    let isCounter = false;
    for (const line of text.split('\n')) {
      if (line.startsWith('# HELP ')) {
        name = line.split(' ', 3)[2]!;
        if (!heads.has(name)) heads.set(name, [line]);
        if (!values.has(name)) values.set(name, new Map());
      } else if (line.startsWith('# TYPE ')) {
        isCounter = !line.endsWith(' gauge');
        const head = heads.get(name)!;
        if (head.length === 1) head.push(line);
      } else if (line !== '' && (isCounter || !onlyCounters)) {
        const at = line.lastIndexOf(' ');
        const series = line.slice(0, at);
        const value = Number(line.slice(at + 1));
        const known = values.get(name)!;
        const before = known.get(series);
        known.set(series, before === undefined ? value : merged(name, before, value));
      }
    }
  };
  for (const text of texts) read(text, false);
  for (const text of ended) read(text, true);
  const lines = [...heads].flatMap(([name, head]) => [
    ...head,
    ...Array.from(values.get(name)!, ([series, value]) => `${series} ${value}`),
  ]);
  return `${lines.join('\n')}\n`;
}

function merged(name: string, one: number, other: number): number {
  if (greatest.has(name)) return Math.max(one, other);
  return least.has(name) ? Math.min(one, other) : one + other;
}
