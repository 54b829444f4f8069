import { useSpeaking, type Language } from './text.tsx';

/** Writers of numbers, sizes and times in one language. */
export function formatsOf(language: Language) {
  const whole = new Intl.NumberFormat(language);
  const compact = new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 });
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 });
  const moment = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' });
  const day = new Intl.DateTimeFormat(language, { dateStyle: 'medium' });
  const clock = new Intl.DateTimeFormat(language, {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });
  const hour = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const shortDay = new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric' });
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' });
  return {
    number: (value: number) => whole.format(value),
    compact: (value: number) => compact.format(value),
    percent: (value: number) => percent.format(value),
    moment: (time: string | number) => moment.format(new Date(time)),
    day: (time: string | number) => day.format(new Date(time)),
    clock: (time: string | number) => clock.format(new Date(time)),
    hour: (time: string | number) => hour.format(new Date(time)),
    shortDay: (time: string | number) => shortDay.format(new Date(time)),
    bytes: (value: number) => bytes(value, compact),
    duration: (ms: number) => duration(ms, language),
    ago: (time: string | number, nowMs = Date.now()) => ago(new Date(time).getTime() - nowMs, relative),
  };
}

export type Formats = ReturnType<typeof formatsOf>;

// Making them takes milliseconds, and every row of a table wants them.
const made: Partial<Record<Language, Formats>> = {};

export function useFormats(): Formats {
  const { language } = useSpeaking();
  return (made[language] ??= formatsOf(language));
}

function bytes(value: number, compact: Intl.NumberFormat): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  let size = value;
  let unit = 0;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${compact.format(size)} ${units[unit]}`;
}

function duration(ms: number, language: Language): string {
  if (ms < 1000)
    return `${new Intl.NumberFormat(language, { maximumFractionDigits: ms < 10 ? 1 : 0 }).format(ms)} ms`;
  return `${new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(ms / 1000)} s`;
}

const steps: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
];

function ago(deltaMs: number, relative: Intl.RelativeTimeFormat): string {
  for (const [unit, size] of steps) {
    if (Math.abs(deltaMs) >= size) return relative.format(Math.round(deltaMs / size), unit);
  }
  return relative.format(0, 'second');
}
