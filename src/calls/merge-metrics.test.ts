import { expect, it } from 'vitest';
import { mergeMetrics } from './merge-metrics.ts';

const scrape = (calls: number, lag: number, up: number, memory: number) =>
  [
    '# HELP handrail_calls_total Calls.',
    '# TYPE handrail_calls_total counter',
    `handrail_calls_total{api="a",outcome="ok"} ${calls}`,
    '# HELP handrail_registry_lag_seconds Lag.',
    '# TYPE handrail_registry_lag_seconds gauge',
    `handrail_registry_lag_seconds ${lag}`,
    '# HELP handrail_api_up Up.',
    '# TYPE handrail_api_up gauge',
    `handrail_api_up{api="a"} ${up}`,
    '# HELP process_resident_memory_bytes Memory.',
    '# TYPE process_resident_memory_bytes gauge',
    `process_resident_memory_bytes ${memory}`,
    '',
  ].join('\n');

it('adds up what processes counted and hold, and takes the worst of the rest', () => {
  expect(mergeMetrics([scrape(3, 0.5, 1, 100), scrape(4, 2, 0, 200)])).toBe(scrape(7, 2, 0, 300));
});

it('adds only the counters of processes that are no more', () => {
  expect(mergeMetrics([scrape(3, 0.5, 1, 100)], [scrape(10, 9, 0, 900)])).toBe(scrape(13, 0.5, 1, 100));
});

it('keeps series that only one of them has', () => {
  const other =
    '# HELP handrail_calls_total Calls.\n# TYPE handrail_calls_total counter\nhandrail_calls_total{api="b\\" {} x",outcome="ok"} 1\n';
  expect(mergeMetrics([scrape(3, 0, 1, 1), other])).toContain('api="b\\" {} x",outcome="ok"} 1\n');
});
