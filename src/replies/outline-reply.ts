import { isObject } from '../lib/json/plain-object.ts';
import { type Infer, integer, list, nullable, object, optional, text } from '../lib/schema/schema.ts';

/** What the records of a long reply look like: enough to suggest which fields to keep. */
export const replyOutline = object({
  /** The field that contains the list of records; null if the reply is the list. */
  list: nullable(text()),
  /** The fields that contain this one, outermost first; absent for a top-level field. */
  within: optional(list(text(), { max: 10 })),
  records: integer(),
  fields: list(
    object({
      name: text(),
      /** `string`, `integer`, `number`, `boolean`, `null`, `list` or `object`. */
      type: text(),
      /** Its share of a record, in thousandths. */
      share: integer(),
    }),
    { max: 1_000 },
  ),
});

export type ReplyOutline = Infer<typeof replyOutline>;

const maxFields = 100;
const maxNameLength = 200;

/** What the records of a reply look like, based on its preview; null if it has no records with fields. */
export function outlineReply(preview: unknown, records: number): ReplyOutline | null {
  if (Array.isArray(preview)) return outlineOf(null, preview, records);
  if (!isObject(preview)) return null;
  const found = findList(preview);
  if (found === null) return null;
  const outline = outlineOf(found.name, found.items, records);
  if (outline === null || found.within.length === 0) return outline;
  return found.within.some((name) => name.startsWith('…')) ? null : { ...outline, within: found.within };
}

interface Holder {
  readonly within: readonly string[];
  readonly value: object;
}

// Records are wrapped once or twice (`data.items`); anything deeper belongs to one of them.
const deepest = 2;

/** The longest list of records among the least nested ones; null if there is none. */
function findList(reply: object) {
  let holders: readonly Holder[] = [{ within: [], value: reply }];
  for (let depth = 0; depth <= deepest; depth++) {
    const entries = holders.flatMap(({ within, value }) =>
      Object.entries(value).map(([name, each]) => ({ within, name, each: each as unknown })),
    );
    const lists = entries.flatMap(({ each, ...place }) =>
      Array.isArray(each) && each.some(isObject) ? [{ ...place, items: each as readonly unknown[] }] : [],
    );
    const [longest] = lists.toSorted((one, other) => other.items.length - one.items.length);
    if (longest !== undefined) return longest;
    holders = entries.flatMap(({ within, name, each }) =>
      isObject(each) ? [{ within: [...within, name], value: each }] : [],
    );
  }
  return null;
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
    .slice(0, maxFields)
    .map(([name, { size, type }]) => ({
      name: name.slice(0, maxNameLength),
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
