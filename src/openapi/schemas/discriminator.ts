import type { JsonSchema } from '../../domain/json-schema.ts';
import { objectOr, type PlainObject, textOr, arrayOr, isObject } from '../../lib/json/plain-object.ts';
import { type Place, placeKey, below, type Located } from '../bundle.ts';
import type { Schemas, Scope } from './schema-scope.ts';

// JSON Schema has no discriminator: an explicit mapping becomes a constant in each branch and a sentence.

/** The schema with its discriminator described in its description. */
export function addDiscriminator(value: PlainObject, schema: JsonSchema): JsonSchema {
  const discriminator = value['discriminator'];
  const property =
    typeof discriminator === 'string' ? discriminator : textOr(objectOr(discriminator)['propertyName']);
  if (!property) return schema;
  const mapping = objectOr(objectOr(discriminator)['mapping']);
  const names = Object.keys(mapping).slice(0, 30);
  if (names.length === 0) return schema;
  const sentence = `"${property}" says which kind it is: ${names.map((name) => JSON.stringify(name)).join(', ')}.`;
  const before = schema['description'];
  return {
    ...schema,
    description: typeof before === 'string' ? `${before} ${sentence}` : sentence,
    // If the kinds are not listed as branches, they may have properties that only they define.
    ...(schema['oneOf'] === undefined &&
      schema['anyOf'] === undefined &&
      schema['additionalProperties'] === undefined && { additionalProperties: true }),
  };
}

/** Selects among the branches of a union. */
interface Discriminator {
  readonly property: string;
  /** The values that select a branch, according to the mapping. */
  readonly namesFor: (branch: PlainObject, at: Place) => string[];
}

export function discriminatorOf(value: PlainObject, at: Place, set: Schemas): Discriminator | null {
  const property = textOr(objectOr(value['discriminator'])['propertyName']);
  if (!property || property === '__proto__') return null;
  const mapped = mappedKinds(value, at, set);
  return {
    property,
    namesFor: (branch, place) => {
      if (typeof branch['$ref'] !== 'string') return [];
      const target = set.resolver.locate(branch['$ref'], place);
      if ('unresolved' in target) return [];
      return mapped.filter(({ key }) => key === placeKey(target)).map(({ name }) => name);
    },
  };
}

/** The schemas that a mapping names, by reference or by the bare name of a component. */
export function mappedKinds(value: PlainObject, at: Place, set: Schemas): { name: string; key: string }[] {
  const kinds: { name: string; key: string }[] = [];
  for (const [name, ref] of Object.entries(objectOr(objectOr(value['discriminator'])['mapping']))) {
    if (typeof ref !== 'string') continue;
    const bare = /^[\w.-]+$/.test(ref) && !/\.(?:json|ya?ml)$/i.test(ref);
    const target = set.resolver.locate(bare ? `#/components/schemas/${ref}` : ref, at);
    if (!('unresolved' in target)) kinds.push({ name, key: placeKey(target) });
  }
  return kinds;
}

/** A branch whose property has one of these values. */
export function withProperty(schema: JsonSchema, property: string, names: readonly string[]): JsonSchema {
  const properties = objectOr(schema['properties']);
  const known = Object.hasOwn(properties, property) ? objectOr(properties[property]) : {};
  // The branch's own definition is more reliable than the mapping.
  if (known['const'] !== undefined || known['enum'] !== undefined) return schema;
  const chosen = names.length === 1 ? { const: names[0] } : { enum: names };
  return { ...schema, properties: { ...properties, [property]: { ...known, ...chosen } } };
}

/**
 * The parent that a part of `allOf` refers to, if that parent lists the schema as one of its kinds. `Pet` is one of `Cat`
 * and `Dog`, and each of them is all of `Pet`: taken literally, that is infinite recursion. What is meant is that they have
 * what all pets have, so the parent's own keywords are used without its list of children.
 */
export function listedBy(
  part: PlainObject,
  at: Place,
  scope: Scope,
  set: Schemas,
): { key: string; value: PlainObject; at: Place } | null {
  const target = typeof part['$ref'] === 'string' ? set.resolver.follow({ value: part, at }) : null;
  if (!target || 'unresolved' in target || !isObject(target.value)) return null;
  const key = placeKey(target.at);
  const { oneOf: _oneOf, anyOf: _anyOf, discriminator: _discriminator, ...own } = target.value;
  if (Object.keys(own).length === Object.keys(target.value).length || scope.parents.has(key)) return null;
  if (key !== scope.origin && !lists(target, scope.origin, set, new Set())) return null;
  return { key, value: own, at: target.at };
}

function lists(parent: Located, child: string | undefined, set: Schemas, seen: Set<string>): boolean {
  if (child === undefined || !isObject(parent.value) || seen.has(placeKey(parent.at))) return false;
  seen.add(placeKey(parent.at));
  for (const key of ['oneOf', 'anyOf']) {
    for (const [i, branch] of arrayOr(parent.value[key]).entries()) {
      if (!isObject(branch) || typeof branch['$ref'] !== 'string') continue;
      const target = set.resolver.follow({ value: branch, at: below(parent.at, key, i) });
      if ('unresolved' in target) continue;
      if (placeKey(target.at) === child || lists(target, child, set, seen)) return true;
    }
  }
  return mappedKinds(parent.value, parent.at, set).some(({ key }) => key === child);
}
