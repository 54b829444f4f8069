import { trimBothOf } from '../lib/text/trim-ends.ts';

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
