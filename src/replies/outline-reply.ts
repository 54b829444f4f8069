import { isObject } from '../lib/json/plain-object.ts';
import { type Infer, integer, list, nullable, object, text } from '../lib/schema/schema.ts';

/** What the records of a long reply look like: enough to say which of their fields would do. */
export const replyOutline = object({
  /** The field that holds the list of records; null when the reply is the list. */
  list: nullable(text()),
  records: integer(),
  fields: list(
    object({
      name: text(),
      /** `string`, `integer`, `number`, `boolean`, `null`, `list` or `object`. */
      type: text(),
      /** How much of a record it is, in thousandths. */
      share: integer(),
    }),
    { max: 1_000 },
  ),
});

export type ReplyOutline = Infer<typeof replyOutline>;

const mostFields = 100;
const longestName = 200;

/** What the records of a reply look like, told from its preview; null when it has none that have fields. */
export function outlineReply(preview: unknown, records: number): ReplyOutline | null {
  if (Array.isArray(preview)) return outlineOf(null, preview, records);
  if (!isObject(preview)) return null;
  const lists = Object.entries(preview).filter((entry): entry is [string, unknown[]] =>
    Array.isArray(entry[1]),
  );
  const longest = lists.toSorted(([, a], [, b]) => b.length - a.length)[0];
  return longest === undefined ? null : outlineOf(longest[0], longest[1], records);
}

function outlineOf(listName: string | null, items: readonly unknown[], records: number): ReplyOutline | null {
  const rows = items.filter(isObject);
  const sizes = new Map<string, { size: number; type: string }>();
  let all = 0;
  for (const row of rows) {
    for (const [name, value] of Object.entries(row)) {
      const size = JSON.stringify(name).length + (JSON.stringify(value) ?? '').length + 2;
      const known = sizes.get(name);
      sizes.set(name, { size: size + (known?.size ?? 0), type: known?.type ?? typeOf(value) });
      all += size;
    }
  }
  if (all === 0 || listName?.startsWith('…')) return null;
  const fields = [...sizes]
    .filter(([name]) => !name.startsWith('…'))
    .slice(0, mostFields)
    .map(([name, { size, type }]) => ({
      name: name.slice(0, longestName),
      type,
      share: Math.round((size / all) * 1_000),
    }));
  return { list: listName, records, fields };
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}
