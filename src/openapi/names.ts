import { trimBothOf, trimEndOf } from '../lib/text/tidy-text.ts';
import type { ParameterPlace } from '../domain/operation.ts';

/**
 * A readable name for an operation that has no `operationId`: `get_users_by_id_posts`. Of a path with several slots only
 * the last one is named, and only at the end: `get_repositories_src_by_path`.
 */
export function nameFromPath(method: string, path: string): string {
  const slots = path.match(/\{[^{}]*\}/g) ?? [];
  const isLong = slots.length > 1;
  const end = path.lastIndexOf('{');
  const short = path.replace(/\{[^{}]*\}/g, (slot, at: number) =>
    isLong && (at !== end || !/^[^/]*$/.test(path.slice(at))) ? '' : slot,
  );
  const words = short
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

/**
 * An `operationId` without what frameworks append to it: FastAPI writes `read_item_items__item_id__get` for the function
 * `read_item` at `GET /items/{item_id}`.
 */
export function withoutPath(operationId: string, method: string, path: string): string {
  const ending = `${path.replace(/\W/g, '_')}_${method.toLowerCase()}`;
  const own = operationId.endsWith(ending) ? operationId.slice(0, -ending.length) : operationId;
  return /[A-Za-z]/.test(own) ? own : operationId;
}

const articles = new Set(['a', 'an', 'the', 'of', 'for', 'by', 'to', 'in', 'with', 'all', 'from', 'and']);

/** Whether a text says nothing beyond a name: `List users` and `listUsers`, `Get a user` and `users_get`. */
export function repeatsName(text: string, name: string): boolean {
  const known = new Set(wordsOf(name));
  const said = wordsOf(text);
  return said.length > 0 && said.length <= maxRepeated && said.every((word) => known.has(word));
}

const maxRepeated = 12;

// Without articles and the ending of a plural or of `gets`.
function wordsOf(text: string): string[] {
  return text
    .slice(0, 300)
    .replace(/([a-z0-9])(?=[A-Z])/g, '$1 ')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !articles.has(word))
    .map((word) => (word.length > 3 ? word.replace(/(?:es|s|e)$/, '') : word));
}
