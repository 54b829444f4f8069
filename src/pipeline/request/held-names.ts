import { type IsHeld, pairName } from '../../domain/places/operator-places.ts';
import type { Parameter } from '../../domain/operation.ts';
import { unsafeValueError } from './percent-encode.ts';

/** Whether the value of an input can add names of its own: fields of an object, or a whole query. */
export function namesItself({ style, contentType, schema, allowReserved }: Parameter): boolean {
  if (style === 'querystring') return true;
  if (contentType !== undefined) return allowReserved === true;
  const types = [schema['type']].flat();
  const isPlain = types.length > 0 && types.every((type) => type !== 'object' && type !== undefined);
  // Some servers treat `;` as a separator of pairs.
  return !isPlain || allowReserved === true;
}

/** Rejects encoded pairs of an argument that would duplicate or override what the operator set. */
export function refuseHeldPairs(pairs: string[], argument: string, isHeld: IsHeld): string[] {
  for (const pair of pairs)
    for (const part of pair.split(/[&;]/)) refuseHeldName(pairName(part), argument, isHeld);
  return pairs;
}

/** Rejects fields of an argument that would duplicate or override what the operator set. */
export function refuseHeldFields(fields: object, argument: string, isHeld: IsHeld): void {
  for (const name in fields) refuseHeldName(name, argument, isHeld);
}

function refuseHeldName(name: string, argument: string, isHeld: IsHeld): void {
  if (isHeld(name))
    throw unsafeValueError(
      argument,
      `must not contain ${JSON.stringify(name.slice(0, 100))}, which only the operator of this gateway may set`,
    );
}
