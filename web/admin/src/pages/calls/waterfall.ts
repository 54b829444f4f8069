import type { CallRecord } from '../../api/resources.ts';

/** One stretch of a call's time, as shares of the whole. */
export interface TimeSpan {
  readonly name: string;
  readonly durationMs: number;
  readonly note?: string;
  readonly start: number;
  readonly width: number;
}

/** Where a call's time went, drawn to scale. A record without steps shows the upstream's share of the whole. */
export function waterfallOf({
  steps,
  durationMs,
  upstreamMs,
}: Pick<CallRecord, 'steps' | 'durationMs' | 'upstreamMs'>): TimeSpan[] {
  const recorded =
    steps.length > 0
      ? steps
      : [
          {
            name: upstreamMs === null ? 'whole' : 'upstream',
            startMs: 0,
            durationMs: upstreamMs ?? durationMs,
          },
        ];
  const whole = Math.max(durationMs, ...recorded.map((step) => step.startMs + step.durationMs), 0.001);
  return recorded.map((step) => ({
    name: step.name,
    durationMs: step.durationMs,
    ...('note' in step && step.note !== undefined && { note: step.note }),
    start: step.startMs / whole,
    width: step.durationMs / whole,
  }));
}
