type PlainSchema = Readonly<Record<string, unknown>>;

// Compiling takes about a tenth of a millisecond a keyword, on the thread that answers everybody.
const maxKeywords = 2_000;

const single = new Set(['items', 'additionalItems', 'additionalProperties', 'propertyNames']);
const lists = new Set(['anyOf', 'allOf', 'prefixItems']);
const maps = new Set(['properties', 'patternProperties', 'dependentSchemas']);
// What these say depends on whether something does not fit, which nobody knows of a part that is not looked at.
const negative = new Set([
  'not',
  'if',
  'then',
  'else',
  'contains',
  'unevaluatedItems',
  'unevaluatedProperties',
]);

/**
 * A schema that is small enough to be compiled at once. Of one that is not, what lies deepest is left unchecked: the
 * folded schema accepts everything that the whole one accepts, and more. The API has the last word on the rest.
 */
export function foldLargeSchema(schema: PlainSchema): PlainSchema {
  return countKeywords(schema, maxKeywords) > maxKeywords ? fold(schema) : schema;
}

/** How many keywords a schema has, counted no further than a little above `most`. */
function countKeywords(schema: unknown, most: number): number {
  let found = 0;
  const waiting: unknown[] = [schema];
  while (waiting.length > 0 && found <= most) {
    const next = waiting.pop();
    if (typeof next !== 'object' || next === null) continue;
    const inner: unknown[] = Array.isArray(next) ? next : Object.values(next);
    found += inner.length;
    for (const each of inner) if (typeof each === 'object' && each !== null) waiting.push(each);
  }
  return found;
}

// Breadth first: what is near the top says most, and definitions count where they are first referred to.
function fold(schema: PlainSchema): PlainSchema {
  const definitions = isMap(schema['$defs']) ? schema['$defs'] : {};
  const reached = new Map<string, unknown>();
  const waiting: (() => void)[] = [];
  let left = maxKeywords;

  function folded(given: unknown, put: (schema: unknown) => void): void {
    if (!isMap(given)) return put(given);
    put(true);
    waiting.push(() => {
      left -= Object.keys(given).length;
      if (left >= 0) put(copyOf(given));
    });
  }

  function copyOf(given: PlainSchema): PlainSchema {
    const copy: Record<string, unknown> = {};
    const set = (key: string, value: unknown): unknown =>
      Object.defineProperty(copy, key, { value, enumerable: true, configurable: true, writable: true });
    for (const [key, value] of Object.entries(given)) {
      if (negative.has(key) || key === '$defs' || key === 'definitions') continue;
      // A place within another schema may be folded away.
      if (key === '$ref' && value !== '#' && !reach(value)) continue;
      if (single.has(key)) folded(value, (inner) => set(key, inner));
      else if (Array.isArray(value) && (lists.has(key) || key === 'oneOf' || key === 'items'))
        set(key === 'oneOf' ? 'anyOf' : key, foldedList(value));
      else if (maps.has(key) && isMap(value)) set(key, foldedMap(value));
      else set(key, value);
    }
    return copy;
  }

  function foldedList(values: readonly unknown[]): unknown[] {
    const copies: unknown[] = [];
    values.forEach((value, i) => folded(value, (inner) => (copies[i] = inner)));
    return copies;
  }

  function foldedMap(values: PlainSchema): PlainSchema {
    const copies: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(values))
      folded(value, (inner) =>
        Object.defineProperty(copies, name, {
          value: inner,
          enumerable: true,
          configurable: true,
          writable: true,
        }),
      );
    return copies;
  }

  /** Whether a reference is to a definition, which is then kept. */
  function reach(reference: unknown): boolean {
    const name = typeof reference === 'string' ? /^#\/\$defs\/([^/~%]+)$/.exec(reference)?.[1] : undefined;
    if (name === undefined || !Object.hasOwn(definitions, name)) return false;
    if (!reached.has(name)) folded(definitions[name], (inner) => reached.set(name, inner));
    return true;
  }

  const root = copyOf(schema);
  // An index, because what waits grows while it is worked off.
  for (let i = 0; i < waiting.length; i++) waiting[i]!();
  return { ...root, $defs: Object.fromEntries(reached) };
}

function isMap(value: unknown): value is PlainSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
