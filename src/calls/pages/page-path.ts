import { isObject } from '../../lib/json/plain-object.ts';

/** Keys that lead to a part of a reply, outermost first. */
export type Path = readonly string[];

/** The value at a path; undefined if there is none. */
export function valueAtPath(value: unknown, path: Path): unknown {
  let at = value;
  for (const key of path) at = member(at, key);
  return at;
}

/**
 * The path that a dotted text means in this value. Names that contain dots themselves, such as `@odata.nextLink`, are
 * matched as a whole, and `[0]` or `[-1]` is an index into a list.
 */
export function pathIn(value: unknown, text: string): Path {
  const steps = text
    .slice(0, 500)
    .replace(/^\$\.?/, '')
    .replaceAll('[', '.[')
    .split('.')
    .filter((step) => step !== '');
  const path: string[] = [];
  let at = value;
  for (let from = 0; from < steps.length;) {
    let to = isObject(at) ? steps.length : from + 1;
    while (to > from + 1 && member(at, steps.slice(from, to).join('.')) === undefined) to--;
    const key = steps.slice(from, to).join('.');
    path.push(key);
    at = member(at, key);
    from = to;
  }
  return path;
}

function member(value: unknown, key: string): unknown {
  if (isObject(value)) return Object.hasOwn(value, key) ? value[key] : undefined;
  if (!Array.isArray(value)) return undefined;
  const place = /^\[?(-?\d{1,9})\]?$/.exec(key)?.[1];
  return place === undefined ? undefined : (value as unknown[]).at(Number(place));
}
