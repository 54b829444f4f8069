type PlainSchema = Readonly<Record<string, unknown>>;

// Compiling takes about 0.1 ms per keyword, on the thread that serves every caller.
const maxKeywords = 2_000;

const single = new Set(['items', 'additionalItems', 'additionalProperties', 'propertyNames']);
const lists = new Set(['anyOf', 'allOf', 'prefixItems']);
const maps = new Set(['properties', 'patternProperties', 'dependentSchemas']);
// The result of these keywords depends on something not matching, which is unknown for a part that is left
// unchecked.
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
 * A schema small enough to compile immediately. If it is too large, its deepest parts are left unchecked: the
 * folded schema accepts everything the full one accepts, and more. The API checks the rest.
 */
export function foldLargeSchema(schema: PlainSchema): PlainSchema {
  return countKeywords(schema, maxKeywords) > maxKeywords ? fold(schema) : schema;
}

/** How many keywords a schema has; stops counting a little above `most`. */
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

// Breadth first: parts near the top say the most, and definitions count where they are first referenced.
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
      // A reference into another schema may point to a part that was folded away.
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

  /** Whether a reference points to a definition, which is then kept. */
  function reach(reference: unknown): boolean {
    const name = typeof reference === 'string' ? /^#\/\$defs\/([^/~%]+)$/.exec(reference)?.[1] : undefined;
    if (name === undefined || !Object.hasOwn(definitions, name)) return false;
    if (!reached.has(name)) folded(definitions[name], (inner) => reached.set(name, inner));
    return true;
  }

  const root = copyOf(schema);
  // By index, because the queue grows while it is processed.
  for (let i = 0; i < waiting.length; i++) waiting[i]!();
  return { ...root, $defs: Object.fromEntries(reached) };
}

function isMap(value: unknown): value is PlainSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
