import type { JsonSchema } from '../../domain/json-schema.ts';
import type { Place } from '../bundle.ts';
import type { Schemas, Scope } from './schema-scope.ts';

/** Converts a schema about a part of the value: a property, an item. */
export function convertChild(value: unknown, at: Place, scope: Scope, set: Schemas): JsonSchema {
  const before = scope.sameValue;
  scope.sameValue = false;
  const converted = set.convert({ value, at }, scope);
  scope.sameValue = before;
  return converted;
}
