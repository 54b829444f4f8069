import { arrayOr, isObject, type PlainObject } from '../../lib/json/plain-object.ts';
import { below, type Located, type Place, placeKey } from '../bundle.ts';
import { mappedKinds } from './discriminator.ts';
import type { Schemas, Scope } from './schema-scope.ts';

/**
 * The parent that a part of `allOf` refers to, when that parent lists the schema as one of its kinds. `Pet` is one of `Cat`
 * and `Dog`, and each of them is all of `Pet`: read to the letter, that never ends. What is meant is that they have what
 * all pets have, so the parent's own keywords are taken without its list of children.
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
