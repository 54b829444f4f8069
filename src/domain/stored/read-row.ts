import { isObject } from '../../lib/json/plain-object.ts';
import { check, type Problem } from '../../lib/schema/problems.ts';
import type { Schema } from '../../lib/schema/schema.ts';

/** The result of reading a row: its value, or its problems. */
export type ReadRow<T> =
  | { readonly ok: true; readonly entity: T }
  | { readonly ok: false; readonly problems: readonly Problem[] };

const unread = (path: string, message: string) => ({ ok: false, problems: [{ path, message }] }) as const;

/**
 * Reads the text of a stored row. An unknown field, or a `layout`, was written by a newer version: such a row is never
 * read partially (docs/adr/0007-migrations-layouts-and-unreadable-rows.md).
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
    : { ok: false, problems: checked.problems.map(mentionNewerVersion) };
}

function mentionNewerVersion({ path, message }: Problem): Problem {
  return message === 'is not a known field'
    ? { path, message: 'is not a known field: a newer version of Handrail may have written it' }
    : { path, message };
}
