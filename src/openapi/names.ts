import { trimBothOf, trimEndOf } from '../lib/text/tidy-text.ts';
import type { ParameterPlace } from '../domain/operation.ts';

/** A readable name for an operation that has no `operationId`: `get_users_by_id_posts`. */
export function nameFromPath(method: string, path: string): string {
  const words = path
    .split(/[/?&#]/)
    .filter((part) => part !== '')
    .map((part) =>
      trimBothOf(part.replace(/\{[+]?([^{}]+?)[+*]?\}/g, '_by_$1_').replace(/[^A-Za-z0-9_-]+/g, '_'), '_'),
    )
    .filter((part) => part !== '');
  return [method.toLowerCase(), ...(words.length > 0 ? words : ['root'])].join('_');
}

// The limit of the strictest model API for property names.
const maxLength = 64;

/** Assigns the name a model sees to each input of an operation: plain characters, unique; the first claim wins. */
export class ParameterNames {
  readonly #taken = new Set<string>();

  claim(wireName: string, place: ParameterPlace): string {
    const clean = plainName(wireName) || 'value';
    for (const candidate of [clean, `${place}_${clean}`.slice(0, maxLength)]) {
      // Every object inherits `toString` and the like: an argument with that name would always seem to be present.
      if (!this.#taken.has(candidate) && !(candidate in Object.prototype)) return this.#take(candidate);
    }
    for (let n = 2; ; n++) {
      const numbered = `${clean.slice(0, maxLength - 4)}_${n}`;
      if (!this.#taken.has(numbered)) return this.#take(numbered);
    }
  }

  #take(name: string): string {
    this.#taken.add(name);
    return name;
  }
}

function plainName(wireName: string): string {
  let clean = wireName.replace(/\[\]$/, '').replace(/[^A-Za-z0-9_.-]+/g, '_');
  if (!wireName.startsWith('_')) clean = clean.replace(/^_+/, '');
  if (!wireName.endsWith('_')) clean = trimEndOf(clean, '_');
  return clean.slice(0, maxLength);
}
