import type { JsonSchema } from '../../domain/json-schema.ts';
import { isObject, type PlainObject } from '../../lib/json/plain-object.ts';
import { below, type Place } from '../bundle.ts';
import { discriminatorOf, withProperty } from './discriminator.ts';
import { areDisjoint } from './disjoint-schemas.ts';
import { carryHidden } from './hidden-properties.ts';
import type { Schemas, Scope } from './schema-scope.ts';

// Comparing all pairs of branches is quadratic.
const maxCompared = 200;

/** Adds `oneOf` and `anyOf`, their branches converted. */
export function addUnions(
  value: PlainObject,
  out: Record<string, unknown>,
  at: Place,
  scope: Scope,
  set: Schemas,
  invalid: (key: string) => void,
): void {
  for (const key of ['oneOf', 'anyOf'] as const) {
    const branches = value[key];
    if (branches === undefined || branches === null) continue;
    if (!Array.isArray(branches) || branches.length === 0) {
      invalid(key);
      continue;
    }
    const chosenBy = discriminatorOf(value, at, set);
    let distinguished = 0;
    const converted = branches.map((branch, i) => {
      const place = below(at, key, i);
      const schema = set.convert({ value: branch, at: place }, scope);
      const names = isObject(branch) ? chosenBy?.namesFor(branch, place) : undefined;
      if (!chosenBy || !names || names.length === 0) return schema;
      distinguished++;
      return carryHidden(schema, withProperty(schema, chosenBy.property, names));
    });
    const distinct = [...new Map(converted.map((schema) => [JSON.stringify(schema), schema])).values()];
    // Two equal branches of `oneOf` would reject every value they describe.
    if (distinct.length === 1 && Object.keys(out).length === 0) {
      Object.assign(out, distinct[0]);
      carryHidden(distinct[0]!, out);
      continue;
    }
    const wanted =
      key === 'oneOf' && value['anyOf'] === undefined
        ? keywordFor(
            distinct,
            Boolean(chosenBy) && distinguished < branches.length,
            below(at, key),
            scope,
            set,
          )
        : key;
    out[wanted] = distinct;
  }
}

/**
 * `oneOf` rejects a value that fits two branches: every whole number for `integer | number`. If branches may overlap, the
 * document means "any of them".
 */
function keywordFor(
  branches: readonly JsonSchema[],
  discriminatorIsPartial: boolean,
  at: Place,
  scope: Scope,
  set: Schemas,
): 'oneOf' | 'anyOf' {
  // A discriminator chooses among branches that may overlap: without all of its values, only "any" is safe.
  if (discriminatorIsPartial) return 'anyOf';
  if (set.direction === 'output' || branches.every(isPresenceRule)) return 'oneOf';
  if (excludeEachOther(branches, set)) return 'oneOf';
  scope.notes.add(
    'one_of_overlaps',
    'The alternatives of "oneOf" may overlap; a value that fits more than one of them is accepted as well.',
    at,
  );
  return 'anyOf';
}

function excludeEachOther(branches: readonly JsonSchema[], set: Schemas): boolean {
  if (branches.length > maxCompared) return false;
  const open = (ref: string): JsonSchema | null => set.definition(ref);
  return branches.every((branch, i) =>
    branches.slice(i + 1).every((other) => areDisjoint(branch, other, open)),
  );
}

const presenceKeywords = new Set(['required', 'not', 'title', 'description']);

// "Either this property or that one": here the document really means exactly one.
function isPresenceRule(schema: JsonSchema): boolean {
  return Array.isArray(schema['required']) && Object.keys(schema).every((key) => presenceKeywords.has(key));
}
