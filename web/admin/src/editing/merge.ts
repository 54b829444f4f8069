import { sameJson } from '#lib/json/same-json.ts';

/** A field that two people changed to different values. */
export interface Clash {
  readonly field: string;
  readonly base: unknown;
  readonly theirs: unknown;
  readonly mine: unknown;
}

/** The fields I changed, except those changed back. */
export function changesOf<T extends object>(base: T, draft: Partial<T>): Partial<T> {
  return Object.fromEntries(
    Object.entries(draft).filter(([field, value]) => !sameJson(value, base[field as keyof T])),
  ) as Partial<T>;
}

/** What was changed after some changes were submitted: a save keeps it. */
export function changesSince<T extends object>(submitted: Partial<T>, latest: Partial<T>): Partial<T> {
  return Object.fromEntries(
    Object.entries(latest).filter(([field, value]) => !sameJson(value, submitted[field as keyof T])),
  ) as Partial<T>;
}

/** The fields where my changes would overwrite what someone else has saved in the meantime. */
export function clashesOf<T extends object>(base: T, theirs: T, mine: Partial<T>): Clash[] {
  return Object.entries(mine)
    .map(([field, value]) => ({
      field,
      base: base[field as keyof T],
      theirs: theirs[field as keyof T],
      mine: value,
    }))
    .filter((clash) => !sameJson(clash.base, clash.theirs) && !sameJson(clash.mine, clash.theirs));
}
