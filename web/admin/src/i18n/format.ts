import type { Language } from './language.ts';
import { oncePerLanguage } from './once-per-language.ts';
import { useLanguage } from './text.tsx';

// Creating one takes milliseconds on a slow machine, and every row of a table uses several.
const whole = oncePerLanguage((language) => new Intl.NumberFormat(language));
const tenths = oncePerLanguage((language) => new Intl.NumberFormat(language, { maximumFractionDigits: 1 }));
const compact = oncePerLanguage(
  (language) => new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 }),
);
const percent = oncePerLanguage(
  (language) => new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 }),
);
const moment = oncePerLanguage(
  (language) => new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' }),
);
const day = oncePerLanguage((language) => new Intl.DateTimeFormat(language, { dateStyle: 'medium' }));
const clock = oncePerLanguage(
  (language) =>
    new Intl.DateTimeFormat(language, {
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
    }),
);
const hour = oncePerLanguage(
  (language) => new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
);
const shortDay = oncePerLanguage(
  (language) => new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric' }),
);
const relative = oncePerLanguage(
  (language) => new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' }),
);

/** Formats numbers, sizes and times in one language. */
export function formatsOf(language: Language) {
  return {
    number: (value: number) => whole(language).format(value),
    compact: (value: number) => compact(language).format(value),
    percent: (value: number) => percent(language).format(value),
    moment: (time: string | number) => moment(language).format(new Date(time)),
    day: (time: string | number) => day(language).format(new Date(time)),
    clock: (time: string | number) => clock(language).format(new Date(time)),
    /** The time of day, with the date unless it is today's. */
    clockOrDay: (time: string | number, nowMs = Date.now()) =>
      day(language).format(new Date(time)) === day(language).format(nowMs)
        ? clock(language).format(new Date(time))
        : `${shortDay(language).format(new Date(time))}, ${clock(language).format(new Date(time))}`,
    hour: (time: string | number) => hour(language).format(new Date(time)),
    shortDay: (time: string | number) => shortDay(language).format(new Date(time)),
    bytes: (value: number) => bytes(value, compact(language)),
    duration: (ms: number) => duration(ms, language),
    ago: (time: string | number, nowMs = Date.now()) =>
      ago(new Date(time).getTime() - nowMs, relative(language)),
  };
}

export type Formats = ReturnType<typeof formatsOf>;

const made: Partial<Record<Language, Formats>> = {};

export function useFormats(): Formats {
  const { language } = useLanguage();
  return (made[language] ??= formatsOf(language));
}

function bytes(value: number, amounts: Intl.NumberFormat): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  let size = value;
  let unit = 0;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${amounts.format(size)} ${units[unit]}`;
}

function duration(ms: number, language: Language): string {
  if (ms < 1000) return `${tenths(language).format(ms < 10 ? ms : Math.round(ms))} ms`;
  return `${tenths(language).format(ms / 1000)} s`;
}

const steps: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
];

function ago(deltaMs: number, phrases: Intl.RelativeTimeFormat): string {
  for (const [unit, size] of steps) {
    if (Math.abs(deltaMs) >= size) return phrases.format(Math.round(deltaMs / size), unit);
  }
  return phrases.format(0, 'second');
}
