// Checking a value against a schema can take far longer than either is large: references multiply, and every element of
// a long list is tried against every branch of a union. So whatever can be repeated counts what it costs, and a check
// that has cost too much ends. What is counted is about one keyword each, some hundred nanoseconds.

type PlainSchema = Readonly<Record<string, unknown>>;

/** The keyword that a schema carries its cost in. */
export const workKeyword = 'x-handrail-work';

/** Ends a check that takes too long. */
export class TooMuchWork extends Error {}

const maxWork = 1_000_000;
let work = 0;

/** Starts counting again; checks do not run inside each other. */
export function beginWork(): void {
  work = 0;
  patternWork = 0;
}

// Instructions of patterns times characters, each some forty nanoseconds at worst and far less most of the time.
const maxPatternWork = 5_000_000;
let patternWork = 0;

/** Counts what matching may take at worst; false when it is too much, and the pattern is not checked. */
export function takePatternWork(cost: number): boolean {
  if (patternWork + cost > maxPatternWork) return false;
  patternWork += cost;
  return true;
}

/** Counts some work, and ends the check when it was the last straw. */
export function addWork(cost: number): void {
  work += cost;
  if (work > maxWork) throw new TooMuchWork();
}

// Subschemas that are run for each element, property or name of a value.
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

/** The schema with everything that can be run more than once marked with what a run costs. */
export function withWorkCounted(schema: PlainSchema): PlainSchema {
  return countedObject(schema).schema;
}

interface Counted<Schema> {
  readonly schema: Schema;
  /** What one run costs, without what counts for itself. */
  readonly cost: number;
}

// A branch that does not fit leaves an error behind, which costs more than finding out.
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
  // A property may be called `__proto__`.
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}
