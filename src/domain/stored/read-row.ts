import { isObject } from '../../lib/json/plain-object.ts';
import { check, type Problem } from '../../lib/schema/problems.ts';
import type { Schema } from '../../lib/schema/schema.ts';

/** A row as it was read: what it holds, or what is wrong with it. */
export type ReadRow<T> =
  | { readonly ok: true; readonly entity: T }
  | { readonly ok: false; readonly problems: readonly Problem[] };

const unread = (path: string, message: string) => ({ ok: false, problems: [{ path, message }] }) as const;

/**
 * Reads the text of a stored row. A field that this version does not know was written by a newer one, and so was a row
 * that names its `layout`: neither is read by half (docs/adr/0007-migrations-layouts-and-unreadable-rows.md).
 */
export function readRow<T>(schema: Schema<T>, text: string): ReadRow<T> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return unread('', 'is not JSON');
  }
  if (!isObject(value)) return unread('', 'is not an object');
  if (Object.hasOwn(value, 'layout'))
    return unread(
      '/layout',
      'was written by a newer version of Handrail, in a layout this one does not know',
    );
  const checked = check(schema, value);
  return checked.ok
    ? { ok: true, entity: checked.value }
    : { ok: false, problems: checked.problems.map(sayNewer) };
}

function sayNewer({ path, message }: Problem): Problem {
  return message === 'is not a known field'
    ? { path, message: 'is not a known field: a newer version of Handrail may have written it' }
    : { path, message };
}
