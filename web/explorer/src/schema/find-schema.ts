import { isObject, pointerTokens } from './json-values.ts';

/** Resolves a reference within its own document. Nothing is ever fetched. */
export function findSchema(root: unknown, reference: string): unknown {
  if (reference === '#') return root;
  const hash = reference.indexOf('#');
  const document = hash === -1 ? reference : reference.slice(0, hash);
  const fragment = hash === -1 ? '' : reference.slice(hash + 1);
  const base = document === '' ? root : findNamed(root, '$id', document);
  const found =
    fragment === ''
      ? base
      : fragment.startsWith('/')
        ? byPointer(base, fragment)
        : findAnchor(base, fragment);
  if (found === undefined) throw new TypeError(`can't resolve reference ${reference}`);
  return found;
}

function byPointer(base: unknown, fragment: string): unknown {
  let place: unknown = base;
  for (const token of pointerTokens(decodeFragment(fragment))) {
    if (typeof place !== 'object' || place === null || !Object.hasOwn(place, token)) return undefined;
    place = (place as Record<string, unknown>)[token];
  }
  return place;
}

function findAnchor(base: unknown, name: string): unknown {
  return findNamed(base, '$anchor', name) ?? findNamed(base, '$dynamicAnchor', name);
}

function findNamed(root: unknown, keyword: string, name: string): unknown {
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const place = pending.pop();
    if (isObject(place) && place[keyword] === name) return place;
    if (typeof place === 'object' && place !== null) pending.push(...Object.values(place));
  }
  return undefined;
}

function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
