import type { Budget, Pattern } from './pattern.ts';

/** One way in which a value does not fit a schema. */
export interface Finding {
  path: string;
  keyword: string;
  message: string;
  /** What the keyword asked for: the limit, the missing property's name, the allowed types. */
  wanted?: unknown;
}

/** What was looked at in an object or array, for `unevaluatedProperties` and `unevaluatedItems`. */
export interface Evaluated {
  properties: Set<string>;
  items: Set<number>;
}

/** Checks a string; true when it has the format. */
export type FormatCheck = (text: string) => boolean;

/** What one check carries along. */
export interface Check {
  root: unknown;
  formats: ReadonlyMap<string, FormatCheck>;
  budget: Budget;
  pattern(source: string): Pattern;
  findings: Finding[];
  /** Applies one schema at one place of the value, adds what it finds, and tells what it looked at. */
  apply(this: void, check: Check, schema: unknown, value: unknown, path: string): Evaluated;
  /** How many `$ref`s were followed without going deeper into the value: a cycle never ends. */
  refDepth: number;
}

/** Applies a schema on the side: its findings are counted, not reported. */
export function trySchema(
  check: Check,
  schema: unknown,
  value: unknown,
  path: string,
): { fits: boolean; evaluated: Evaluated; findings: Finding[] } {
  const aside: Check = { ...check, findings: [] };
  const evaluated = check.apply(aside, schema, value, path);
  return { fits: aside.findings.length === 0, evaluated, findings: aside.findings };
}

/** Adds one finding. */
export function report(check: Check, path: string, keyword: string, message: string, wanted?: unknown): void {
  check.findings.push({ path, keyword, message, ...(wanted === undefined ? {} : { wanted }) });
}

/** Adds what a subschema looked at to what its parent looked at. */
export function mergeEvaluated(into: Evaluated, from: Evaluated): void {
  for (const name of from.properties) into.properties.add(name);
  for (const index of from.items) into.items.add(index);
}

/** Applies a schema to a member or an item: going deeper ends the count of references. */
export function applyBelow(check: Check, schema: unknown, value: unknown, path: string): Evaluated {
  return check.apply({ ...check, refDepth: 0 }, schema, value, path);
}
