import type { Budget, Pattern } from './pattern.ts';

/** One way in which a value doesn't match a schema. */
export interface Finding {
  path: string;
  keyword: string;
  message: string;
  /** What the keyword requires: the limit, the missing property's name, the allowed types. */
  wanted?: unknown;
}

/** What was evaluated in an object or array, for `unevaluatedProperties` and `unevaluatedItems`. */
export interface Evaluated {
  properties: Set<string>;
  items: Set<number>;
}

/** Checks a string; true when it has the format. */
export type FormatCheck = (text: string) => boolean;

/** The state of one validation. */
export interface Check {
  root: unknown;
  formats: ReadonlyMap<string, FormatCheck>;
  budget: Budget;
  pattern(source: string): Pattern;
  findings: Finding[];
  /** Applies one schema to one part of the value, adds its findings, and returns what it evaluated. */
  apply(this: void, check: Check, schema: unknown, value: unknown, path: string): Evaluated;
  /** How many `$ref`s were followed without going deeper into the value, to stop cycles. */
  refDepth: number;
}

/** Applies a schema without reporting its findings; they are only counted. */
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

/** Adds what a subschema evaluated to its parent's. */
export function mergeEvaluated(into: Evaluated, from: Evaluated): void {
  for (const name of from.properties) into.properties.add(name);
  for (const index of from.items) into.items.add(index);
}

/** Applies a schema to a member or an item. Going deeper resets the count of references. */
export function applyBelow(check: Check, schema: unknown, value: unknown, path: string): Evaluated {
  return check.apply({ ...check, refDepth: 0 }, schema, value, path);
}
