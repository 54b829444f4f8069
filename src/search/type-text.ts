import type { JsonSchema } from '../domain/json-schema.ts';
import { arrayOr, isObject, objectOr } from '../lib/json/plain-object.ts';

const maxValues = 5;
const maxFields = 6;
const maxBranches = 3;
const refPrefix = '#/$defs/';
const mark = '…';

/**
 * Writes schemas as short types, such as `{id: integer, tags?: string[]}`, and records whether anything was
 * left out.
 */
export class TypeWriter {
  leftOut = false;
  readonly #defs: JsonSchema | undefined;
  readonly #maxDepth: number;

  constructor(defs: JsonSchema | undefined, maxDepth: number) {
    this.#defs = defs;
    this.#maxDepth = maxDepth;
  }

  write(schema: unknown, depth = 0, refs: readonly string[] = []): string {
    if (!isObject(schema)) return 'any';
    const node: JsonSchema = schema;
    if (typeof node['$ref'] === 'string') return this.#writeRef(node, node['$ref'], depth, refs);
    if (Array.isArray(node['enum'])) return this.#values(node['enum']);
    if ('const' in node) return this.#values([node['const']]);
    const { allOf } = node;
    if (Array.isArray(allOf)) return this.write(this.#merge(node, allOf, refs), depth, refs);
    const branches = node['oneOf'] ?? node['anyOf'];
    if (Array.isArray(branches) && node['properties'] === undefined)
      return this.#union(branches, depth, refs);
    return this.#plain(node, depth, refs);
  }

  #writeRef(node: JsonSchema, ref: string, depth: number, refs: readonly string[]): string {
    const target = ref.startsWith(refPrefix) ? this.#defs?.[ref.slice(refPrefix.length)] : undefined;
    if (!isObject(target)) return 'any';
    if (refs.includes(ref)) return this.#cut('object');
    const { $ref: _ref, ...beside } = node;
    return this.write({ ...target, ...beside }, depth, [...refs, ref]);
  }

  #plain(node: JsonSchema, depth: number, refs: readonly string[]): string {
    const { type, properties, items } = node;
    const types = (Array.isArray(type) ? type : [type]).filter((one) => one !== 'null');
    if (types.length > 1) return types.map(String).join('|');
    if (types[0] === 'array' || (types[0] === undefined && items !== undefined)) {
      const inner = items === undefined ? 'any' : this.write(items, depth, refs);
      return isUnion(inner) ? `(${inner})[]` : `${inner}[]`;
    }
    if (isObject(properties) && Object.keys(properties).length > 0)
      return this.#object(node, properties, depth, refs);
    if (types[0] === undefined) return 'any';
    const format = node['format'];
    return types[0] === 'string' && (format === 'date' || format === 'date-time') ? format : String(types[0]);
  }

  #object(node: JsonSchema, properties: JsonSchema, depth: number, refs: readonly string[]): string {
    if (depth >= this.#maxDepth) return this.#cut('object');
    const required = new Set(arrayOr(node['required']));
    const names = Object.keys(properties);
    const ordered = [
      ...names.filter((name) => required.has(name)),
      ...names.filter((name) => !required.has(name)),
    ];
    const fields = ordered
      .slice(0, maxFields)
      .map(
        (name) => `${name}${required.has(name) ? '' : '?'}: ${this.write(properties[name], depth + 1, refs)}`,
      );
    if (ordered.length > maxFields) {
      this.leftOut = true;
      fields.push(mark);
    }
    return `{${fields.join(', ')}}`;
  }

  #union(branches: readonly unknown[], depth: number, refs: readonly string[]): string {
    const texts = new Set<string>();
    for (const branch of branches) {
      if (objectOr(branch)['type'] === 'null') continue;
      if (texts.size >= maxBranches) {
        this.leftOut = true;
        texts.add(mark);
        break;
      }
      texts.add(this.write(branch, depth, refs));
    }
    return texts.size === 0 ? 'any' : [...texts].join('|');
  }

  #values(values: readonly unknown[]): string {
    const shown = values.slice(0, maxValues).map((value) => {
      const text = JSON.stringify(value) ?? 'null';
      return text.length > 40 ? `${text.slice(0, 39)}${mark}` : text;
    });
    if (values.length > maxValues) {
      this.leftOut = true;
      shown.push(mark);
    }
    return shown.join('|');
  }

  // Both apply: one part's rules for fields are in addition to the others'.
  #merge(node: JsonSchema, parts: readonly unknown[], refs: readonly string[]): JsonSchema {
    const { allOf: _allOf, ...own } = node;
    const merged: Record<string, unknown> = { ...own };
    let hops = 0;
    const queue = [...parts];
    while (queue.length > 0 && hops++ < 50) {
      const part = queue.shift();
      if (!isObject(part)) continue;
      const { $ref, allOf, properties, required, ...rest } = part;
      if (typeof $ref === 'string' && $ref.startsWith(refPrefix) && !refs.includes($ref))
        queue.push(this.#defs?.[$ref.slice(refPrefix.length)]);
      if (Array.isArray(allOf)) queue.push(...allOf);
      if (properties !== undefined)
        merged['properties'] = { ...objectOr(merged['properties']), ...objectOr(properties) };
      if (Array.isArray(required)) merged['required'] = [...arrayOr(merged['required']), ...required];
      for (const [keyword, value] of Object.entries(rest)) merged[keyword] ??= value;
    }
    return merged;
  }

  #cut(what: string): string {
    this.leftOut = true;
    return `${what}${mark}`;
  }
}

/** Whether the type itself is a union, rather than containing one. */
function isUnion(type: string): boolean {
  let depth = 0;
  for (const character of type) {
    if (character === '{' || character === '(') depth++;
    else if (character === '}' || character === ')') depth--;
    else if (character === '|' && depth === 0) return true;
  }
  return false;
}
