import type { ErrorObject } from 'ajv';
import { eitherOf, nearestNames } from '../text/nearest-names.ts';
import { branchesOf, closestBranch, reachableFrom, requiredOnly, typesOf } from './closest-branch.ts';
import { escapePointer, pointerKeys } from './json-pointer.ts';
import { arrayOr, isObject, type PlainObject } from './plain-object.ts';

/** One violation: a JSON Pointer, the keyword that failed, and a sentence. */
export interface Violation {
  readonly path: string;
  readonly keyword: string;
  readonly message: string;
}

const maxViolations = 20;
const maxOfBranch = 5;

/** The schema that was checked, and a way to check a part of it by itself. */
export interface CheckedSchema {
  readonly schema: PlainObject;
  readonly check: (schema: PlainObject, value: unknown) => readonly Violation[];
}

/**
 * Turns the validator's errors (in verbose form) into sentences: without duplicates, the first twenty, and a
 * count of the rest.
 */
export function describeErrors(errors: readonly ErrorObject[], checked: CheckedSchema): Violation[] {
  const seen = new Set<string>();
  const violations: Violation[] = [];
  const kept = withoutBranches(errors, checked.schema);
  for (const [index, error] of kept.entries()) {
    if (violations.length === maxViolations) {
      violations.push(notListed(kept.length - index));
      break;
    }
    const violation = isUnion(error) ? describeUnion(error, checked) : describeOne(error);
    const key = `${violation.path}\n${violation.message}`;
    if (!seen.has(key)) violations.push(violation);
    seen.add(key);
  }
  return violations;
}

function notListed(count: number): Violation {
  const message = `${count} more ${count === 1 ? 'problem is' : 'problems are'} not listed`;
  return { path: '', keyword: moreKeyword, message };
}

/** The keyword of a violation that only counts the ones not listed. */
export const moreKeyword = 'more';

function isUnion({ keyword }: ErrorObject): boolean {
  return keyword === 'anyOf' || keyword === 'oneOf';
}

/**
 * Removes what each branch of a failed union reports, which is noise next to the union's own line. The
 * validator writes it right before that line, so each error is visited once.
 */
function withoutBranches(errors: readonly ErrorObject[], schema: PlainObject): readonly ErrorObject[] {
  const kept: ErrorObject[] = [];
  const reachable = new Map<unknown, ReadonlySet<unknown>>();
  for (let at = errors.length - 1; at >= 0; at--) {
    const error = errors[at]!;
    if (error.keyword === 'if') continue;
    kept.push(error);
    if (!isUnion(error)) continue;
    let below = reachable.get(error.schema);
    if (below === undefined) reachable.set(error.schema, (below = reachableFrom(schema, error.schema)));
    while (at > 0 && isOfBranch(errors[at - 1]!, error, below)) at--;
  }
  return kept.toReversed();
}

function isOfBranch(error: ErrorObject, union: ErrorObject, below: ReadonlySet<unknown>): boolean {
  const isInside =
    error.instancePath === union.instancePath || error.instancePath.startsWith(`${union.instancePath}/`);
  return isInside && below.has(error.parentSchema);
}

/** Describes why a value matches no branch of a union, by what it lacks for the closest one. */
function describeUnion(error: ErrorObject, { schema, check }: CheckedSchema): Violation {
  const at = (message: string): Violation => ({ path: error.instancePath, keyword: error.keyword, message });
  const branches = branchesOf(schema, error.schema);
  const passing = (error.params as { passingSchemas?: readonly number[] | null }).passingSchemas;
  if (passing) {
    const names = passing.map((index) => branches[index]?.name ?? `form ${index + 1}`);
    return at(`must match exactly one of the allowed forms, but matches ${names.join(' and ')}`);
  }
  const needed = requiredOnly(branches);
  if (needed !== null) return at(`needs ${needed.map((names) => names.join(' and ')).join(', or ')}`);
  const part: unknown = error.data;
  const closest = closestBranch(schema, branches, part);
  if (closest === null) {
    const types = typesOf(schema, branches);
    return at(types === null ? 'must match one of the allowed forms' : `must be ${typeNames(types)}`);
  }
  const missed = check(closest.schema, part)
    .slice(0, maxOfBranch)
    .map(({ path, message }) => `${readablePath(path)} ${message}`.trim());
  if (missed.length === 0) return at('must match one of the allowed forms');
  if (branches.length === 1) return at(missed.join('; '));
  return at(`must match one of the allowed forms; closest is ${closest.name}: ${missed.join('; ')}`);
}

/** `items[2].price` for a JSON Pointer. */
export function readablePath(pointer: string): string {
  let path = '';
  for (const key of pointerKeys(pointer))
    path += /^\d+$/.test(key) ? `[${key}]` : path === '' ? key : `.${key}`;
  return path;
}

function describeOne(error: ErrorObject): Violation {
  const params = error.params as Record<string, unknown>;
  const at = (path: string, message: string): Violation => ({ path, keyword: error.keyword, message });
  switch (error.keyword) {
    case 'required':
      return at(`${error.instancePath}/${escapePointer(String(params['missingProperty']))}`, 'is required');
    case 'dependentRequired':
      return at(
        `${error.instancePath}/${escapePointer(String(params['missingProperty']))}`,
        `is required when ${String(params['property'])} is given`,
      );
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const extra = String(params['additionalProperty'] ?? params['unevaluatedProperty']);
      return at(
        `${error.instancePath}/${escapePointer(extra)}`,
        `is not a known property${meant(extra, error.parentSchema?.['properties'])}`,
      );
    }
    case 'type':
      return at(error.instancePath, `must be ${typeNames(params['type'])}`);
    case 'enum':
      return at(error.instancePath, `must be one of ${listValues(arrayOr(params['allowedValues']))}`);
    case 'const':
      return at(error.instancePath, `must be ${JSON.stringify(params['allowedValue'])}`);
    case 'format':
      return at(error.instancePath, `must be a valid ${String(params['format'])}`);
    case 'false schema':
      return at(error.instancePath, 'is not allowed');
    default:
      return at(error.instancePath, (error.message ?? 'is not valid').replace(/^must NOT /, 'must not '));
  }
}

function typeNames(type: unknown): string {
  const names = Array.isArray(type) ? type.map(String) : String(type).split(',');
  return names
    .map((name) => (name === 'null' ? 'null' : `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`))
    .join(' or ');
}

function listValues(values: readonly unknown[]): string {
  const shown = values.slice(0, 20).map((value) => JSON.stringify(value));
  return values.length > shown.length
    ? `${shown.join(', ')} and ${values.length - shown.length} more`
    : shown.join(', ');
}

function meant(wanted: string, properties: unknown): string {
  const near = isObject(properties) ? nearestNames(wanted, Object.keys(properties)) : [];
  return near.length === 0 ? '' : `; did you mean ${eitherOf(near)}?`;
}
