import type { JsonSchema } from '../domain/json-schema.ts';
import { isObject, objectOr } from '../lib/json/plain-object.ts';

/** What search knows of an operation's reply. */
export interface ReplyFields {
  /** Names of fields, outermost first. */
  readonly replyFields: readonly string[];
  /** Whether the reply has a list in it; absent where nothing is known of the reply. */
  readonly repliesMany?: boolean;
}

const maxFields = 60;
const maxNodes = 400;
const maxDepth = 6;
const refPrefix = '#/$defs/';

/** Reads the names of a reply's fields from its schema, breadth first and up to a bound. */
export function readReplyFields(schema: JsonSchema | undefined): ReplyFields {
  if (schema === undefined) return { replyFields: [] };
  const names = new Set<string>();
  const defs = objectOr(schema['$defs']);
  const followed = new Set<string>();
  let repliesMany = false;
  let level: unknown[] = [schema];
  let nodes = 0;
  for (let depth = 0; depth < maxDepth && level.length > 0; depth++) {
    const next: unknown[] = [];
    for (const node of level) {
      if (!isObject(node) || ++nodes > maxNodes) continue;
      const { $ref, properties, items, prefixItems, anyOf, oneOf, allOf } = node;
      if (typeof $ref === 'string' && $ref.startsWith(refPrefix) && !followed.has($ref)) {
        followed.add($ref);
        next.push(defs[$ref.slice(refPrefix.length)]);
      }
      if (isObject(properties)) {
        for (const [name, inner] of Object.entries(properties)) {
          if (names.size < maxFields) names.add(name);
          next.push(inner);
        }
      }
      if (items !== undefined || prefixItems !== undefined) repliesMany = true;
      next.push(items);
      for (const list of [anyOf, oneOf, allOf, prefixItems]) if (Array.isArray(list)) next.push(...list);
    }
    level = next;
  }
  return { replyFields: [...names], repliesMany };
}
