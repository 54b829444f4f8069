// Checking a value against a schema can take far longer than the size of either suggests: references multiply,
// and every element of a long list is tried against every branch of a union. So everything that can repeat
// counts its cost, and a check that costs too much ends. One unit is about one keyword, about 100 ns.

type PlainSchema = Readonly<Record<string, unknown>>;

/** The keyword in which a schema carries its cost. */
export const workKeyword = 'x-handrail-work';

/** Thrown to end a check that takes too long. */
export class TooMuchWork extends Error {}

const maxWork = 1_000_000;
let work = 0;

/** Resets the counter; checks are never nested. */
export function beginWork(): void {
  work = 0;
  patternWork = 0;
}

// Pattern instructions times characters: about 40 ns each at worst, and usually far less.
const maxPatternWork = 5_000_000;
let patternWork = 0;

/** Counts the worst case of a match. Returns false if that is too much, and then the pattern is not checked. */
export function takePatternWork(cost: number): boolean {
  if (patternWork + cost > maxPatternWork) return false;
  patternWork += cost;
  return true;
}

/** Counts work, and ends the check when the limit is exceeded. */
export function addWork(cost: number): void {
  work += cost;
  if (work > maxWork) throw new TooMuchWork();
}

// Subschemas that run for each element, property or name of a value.
const repeated = new Set([
  'items',
  'additionalItems',
  'contains',
  'additionalProperties',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
// Maps from names to subschemas.
const maps = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
const repeatedMaps = new Set(['patternProperties', '$defs', 'definitions']);

/** The schema in which everything that can run more than once is marked with the cost of one run. */
export function withWorkCounted(schema: PlainSchema): PlainSchema {
  return countedObject(schema).schema;
}

interface Counted<Schema> {
  readonly schema: Schema;
  /** The cost of one run, not counting parts that count themselves. */
  readonly cost: number;
}

// A branch that doesn't match creates an error object, which costs more than the check.
const costOfMiss = 4;

function counted(schema: unknown, times = 1): Counted<unknown> {
  if (typeof schema !== 'object' || schema === null) return { schema, cost: times };
  return countedObject(schema, times);
}

function countedObject(schema: object, times = 1): Counted<PlainSchema> {
  const copy: Record<string, unknown> = {};
  let cost = 1;
  const add = (inner: Counted<unknown>): unknown => {
    cost += inner.cost;
    return inner.schema;
  };
  for (const [keyword, value] of Object.entries(schema)) {
    let next: unknown = value;
    if (repeated.has(keyword) && !Array.isArray(value)) next = marked(value);
    else if (repeatedMaps.has(keyword) && isMap(value)) next = mapped(value, marked);
    else if (maps.has(keyword) && isMap(value)) next = mapped(value, (inner) => add(counted(inner)));
    else if (keyword === 'enum' && Array.isArray(value)) cost += value.length;
    else if (
      Array.isArray(value) &&
      (keyword === 'items' || keyword === 'prefixItems' || keyword === 'allOf')
    )
      next = value.map((inner) => add(counted(inner)));
    else if (Array.isArray(value) && (keyword === 'anyOf' || keyword === 'oneOf'))
      next = value.map((inner) => add(counted(inner, costOfMiss)));
    else if (['not', 'if', 'then', 'else'].includes(keyword)) next = add(counted(value));
    else cost++;
    Object.defineProperty(copy, keyword, {
      value: next,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return { schema: copy, cost: cost * times };
}

function marked(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = countedObject(schema);
  return { ...inner.schema, [workKeyword]: inner.cost };
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mapped(
  values: Readonly<Record<string, unknown>>,
  change: (value: unknown) => unknown,
): Record<string, unknown> {
  // A property may be named `__proto__`.
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}
