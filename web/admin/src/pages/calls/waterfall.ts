import type { CallRecord } from '../../api/resources.ts';

/** The data a waterfall is drawn from. */
export interface TimedSteps extends Pick<CallRecord, 'durationMs' | 'upstreamMs'> {
  readonly steps: readonly (CallRecord['steps'][number] & {
    /** The page of this step's own call. */
    readonly href?: string;
  })[];
}

/** One span of a call's time, relative to the whole. */
export interface TimeSpan {
  readonly name: string;
  readonly durationMs: number;
  readonly note?: string;
  readonly href?: string;
  readonly start: number;
  readonly width: number;
}

/** The spans of a call, to scale. A record without steps shows the upstream's share. */
export function waterfallOf({ steps, durationMs, upstreamMs }: TimedSteps): TimeSpan[] {
  const recorded: TimedSteps['steps'] =
    steps.length > 0
      ? steps
      : [
          {
            name: upstreamMs === null ? 'total' : 'upstream',
            startMs: 0,
            durationMs: upstreamMs ?? durationMs,
          },
        ];
  const totalMs = Math.max(durationMs, ...recorded.map((step) => step.startMs + step.durationMs), 0.001);
  return recorded.map((step) => ({
    name: step.name,
    durationMs: step.durationMs,
    ...(step.note !== undefined && { note: step.note }),
    ...(step.href !== undefined && { href: step.href }),
    start: step.startMs / totalMs,
    width: step.durationMs / totalMs,
  }));
}
