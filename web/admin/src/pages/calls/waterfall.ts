import type { CallRecord } from '../../api/resources.ts';

/** What a waterfall is drawn of. */
export interface TimedSteps extends Pick<CallRecord, 'durationMs' | 'upstreamMs'> {
  readonly steps: readonly (CallRecord['steps'][number] & {
    /** Where its own story is told. */
    readonly href?: string;
  })[];
}

/** One stretch of a call's time, as shares of the whole. */
export interface TimeSpan {
  readonly name: string;
  readonly durationMs: number;
  readonly note?: string;
  readonly href?: string;
  readonly start: number;
  readonly width: number;
}

/** Where a call's time went, drawn to scale. A record without steps shows the upstream's share of the whole. */
export function waterfallOf({ steps, durationMs, upstreamMs }: TimedSteps): TimeSpan[] {
  const recorded: TimedSteps['steps'] =
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
    ...(step.note !== undefined && { note: step.note }),
    ...(step.href !== undefined && { href: step.href }),
    start: step.startMs / whole,
    width: step.durationMs / whole,
  }));
}
