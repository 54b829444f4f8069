import { type IsHeld, pairName } from '../../domain/places/operator-places.ts';
import type { Parameter } from '../../domain/operation.ts';
import { unsafe } from './percent-encode.ts';

/** Whether the value of an input can bring names of its own: fields of an object, or a whole query. */
export function namesItself({ style, contentType, schema, allowReserved }: Parameter): boolean {
  if (style === 'querystring') return true;
  if (contentType !== undefined) return allowReserved === true;
  const types = [schema['type']].flat();
  const isPlain = types.length > 0 && types.every((type) => type !== 'object' && type !== undefined);
  // `;` parts pairs for some servers.
  return !isPlain || allowReserved === true;
}

/** Refuses encoded pairs of one argument that stand beside or over what the operator set. */
export function refuseHeldPairs(pairs: string[], argument: string, isHeld: IsHeld): string[] {
  for (const pair of pairs)
    for (const part of pair.split(/[&;]/)) refuseHeldName(pairName(part), argument, isHeld);
  return pairs;
}

/** Refuses fields of one argument that stand beside or over what the operator set. */
export function refuseHeldFields(fields: object, argument: string, isHeld: IsHeld): void {
  for (const name in fields) refuseHeldName(name, argument, isHeld);
}

function refuseHeldName(name: string, argument: string, isHeld: IsHeld): void {
  if (isHeld(name))
    throw unsafe(
      argument,
      `must not hold ${JSON.stringify(name.slice(0, 100))}, which is for the operator of this gateway to set`,
    );
}
