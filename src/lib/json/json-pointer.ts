import { fieldOf } from './plain-object.ts';

// RFC 6901, https://www.rfc-editor.org/rfc/rfc6901

/** Escapes one key as a reference token of a JSON Pointer. */
export function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Appends keys to a pointer. */
export function pointerTo(base: string, ...keys: readonly (string | number)[]): string {
  let pointer = base;
  for (const key of keys) pointer += `/${escapePointer(String(key))}`;
  return pointer;
}

/** The keys of a pointer, without its leading `#` and percent-decoded. */
export function pointerKeys(pointer: string): string[] {
  if (pointer === '') return [];
  return pointer
    .slice(pointer.startsWith('/') ? 1 : 0)
    .split('/')
    .map((token) => decodeLeniently(token).replaceAll('~1', '/').replaceAll('~0', '~'));
}

// Real documents have pointers with a bare `%`; such a token is taken literally.
function decodeLeniently(token: string): string {
  if (!token.includes('%')) return token;
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}

/** The value at a pointer's keys, or undefined. Own properties only, so a hostile key can't reach a prototype. */
export function valueAt(root: unknown, keys: readonly string[]): unknown {
  let value = root;
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = fieldOf(value, key);
  }
  return value;
}
