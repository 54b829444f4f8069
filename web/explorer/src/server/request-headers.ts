import type { IncomingRequest } from './types.ts';

type HeaderRecord = IncomingRequest['headers'];

/** Lets a hook written for web requests, `request.headers.get('authorization')`, read a plain record. */
const headerMethods = {
  get(this: HeaderRecord, name: string): string | null {
    return headerOf(this, name) ?? null;
  },
  has(this: HeaderRecord, name: string): boolean {
    return headerOf(this, name) !== undefined;
  },
};

/** Headers as a record with lower-case names, plus `get` and `has`. */
export function toHeaderRecord(entries: Iterable<[string, string | string[] | undefined]>): HeaderRecord {
  const record = Object.create(headerMethods) as HeaderRecord;
  for (const [name, value] of entries) {
    Object.defineProperty(record, name.toLowerCase(), {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return record;
}

/** One header of a record or a web `Headers` object; repeated headers are joined as in HTTP. */
export function headerOf(headers: HeaderRecord | Headers, name: string): string | undefined {
  const key = name.toLowerCase();
  if (typeof Headers !== 'undefined' && headers instanceof Headers) return headers.get(key) ?? undefined;
  const record = headers as HeaderRecord;
  if (!Object.hasOwn(record, key)) return undefined;
  const value = record[key];
  return Array.isArray(value) ? value.join(', ') : value;
}
