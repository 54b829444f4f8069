import type { FormatCheck } from '../schema/check-state.ts';

/** The most common formats, for hints while typing. The server validates all of them. */
export const formats: ReadonlyMap<string, FormatCheck> = new Map([
  ['email', (text) => /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/.test(text)],
  ['uri', (text) => /^[a-z][a-z0-9+.-]*:\S+$/i.test(text)],
  ['url', (text) => /^[a-z][a-z0-9+.-]*:\/\/\S+$/i.test(text)],
  ['uuid', (text) => /^(?:urn:uuid:)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)],
  ['date', isDate],
  ['time', (text) => /^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:z|[+-]\d\d:\d\d)$/i.test(text)],
  [
    'date-time',
    (text) =>
      /^\d{4}-\d\d-\d\d[t ]\d\d:\d\d:\d\d(?:\.\d+)?(?:z|[+-]\d\d:?\d\d)$/i.test(text) &&
      isDate(text.slice(0, 10)),
  ],
  ['ipv4', (text) => /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/.test(text)],
]);

function isDate(text: string): boolean {
  const date = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00:00Z`) : null;
  return date !== null && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
