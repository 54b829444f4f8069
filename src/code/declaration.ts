import type { JsonSchema } from '../domain/json-schema.ts';
import { arrayOr, isObject, objectOr } from '../lib/json/plain-object.ts';
import { firstSentence } from '../lib/text/tidy-text.ts';

const refPrefix = '#/$defs/';
const maxValues = 20;
const maxFields = 60;
const maxBranches = 8;
const maxDepth = 8;
const maxParts = 600;
const inlineLength = 60;
const maxRemark = 90;

/** A tool's arguments and replies, as described by its author. */
export interface DeclaredTool {
  /** How scripts call it. */
  readonly path: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Undefined if nothing is known about its replies. */
  readonly replySchema: JsonSchema | undefined;
  /** Whether every page of its replies can be gathered, and where the records are in them, if that is known. */
  readonly list?: { readonly items: string | undefined } | undefined;
}

/** A tool as a TypeScript declaration, with the types it refers to. */
export function declarationOf({ path, description, inputSchema, replySchema, list }: DeclaredTool): string {
  const taken = new Set<string>();
  const input = new ShapeWriter(objectOr(inputSchema['$defs']), taken, true);
  const argumentType = input.write(inputSchema, 0);
  const reply = new ShapeWriter(objectOr(replySchema?.['$defs']), taken, false);
  const replyType = replySchema === undefined ? 'unknown' : reply.write(replySchema, 0);
  const isOptional = arrayOr(inputSchema['required']).length === 0;
  const sentence = firstSentence(description, 200);
  return [
    ...(sentence === '' ? [] : [`/** ${sentence.replaceAll('*/', '* /')} */`]),
    `${path}(args${isOptional ? '?' : ''}: ${argumentType}): Promise<${replyType}>`,
    ...(list === undefined
      ? []
      : [
          `${path}(args, { all: true }): Promise<${reply.list(replySchema, list.items)} & { more?: string }>`,
        ]),
    ...input.types(),
    ...reply.types(),
  ].join('\n');
}

/** Writes schemas as types; schemas that are used repeatedly get a named type. */
class ShapeWriter {
  readonly #defs: JsonSchema;
  readonly #taken: Set<string>;
  readonly #withRemarks: boolean;
  /** By name in the document: the type to write, or null while it is being made. */
  readonly #written = new Map<string, string | null>();
  readonly #named = new Map<string, { readonly name: string; text: string }>();
  #parts = 0;

  constructor(defs: JsonSchema, taken: Set<string>, withRemarks: boolean) {
    this.#defs = defs;
    this.#taken = taken;
    this.#withRemarks = withRemarks;
  }

  /** The named types, one per line. */
  types(): string[] {
    return [...this.#named.values()].map(({ name, text }) => `type ${name} = ${text}`);
  }

  /** The type of all records of a list: the reply itself, or the part of it at a dotted path. */
  list(reply: unknown, items: string | undefined): string {
    let at = this.#opened(reply);
    for (const step of items?.split('.') ?? []) {
      if (at['type'] === 'array') break;
      at = this.#opened(objectOr(at['properties'])[step]);
    }
    return at['type'] === 'array' ? this.write(at, 1) : 'unknown[]';
  }

  #opened(schema: unknown): JsonSchema {
    let at = objectOr(schema);
    for (let n = 0; n < maxDepth && typeof at['$ref'] === 'string'; n++)
      at = objectOr(this.#defs[at['$ref'].slice(refPrefix.length)]);
    return Array.isArray(at['allOf']) ? this.#merged(at, at['allOf']) : at;
  }

  write(schema: unknown, depth: number): string {
    if (schema === true || !isObject(schema)) return 'unknown';
    if (++this.#parts > maxParts || depth > maxDepth) return 'unknown';
    const { $ref } = schema;
    if (typeof $ref === 'string') return this.#ref($ref, depth);
    if (Array.isArray(schema['enum'])) return values(schema['enum']);
    if ('const' in schema) return values([schema['const']]);
    const { allOf } = schema;
    if (Array.isArray(allOf)) return this.write(this.#merged(schema, allOf), depth);
    const branches = schema['oneOf'] ?? schema['anyOf'];
    if (Array.isArray(branches) && schema['properties'] === undefined) return this.#union(branches, depth);
    return this.#plain(schema, depth);
  }

  #ref(ref: string, depth: number): string {
    const key = ref.startsWith(refPrefix) ? ref.slice(refPrefix.length) : '';
    const target = this.#defs[key];
    if (!isObject(target)) return 'unknown';
    const before = this.#written.get(key);
    if (typeof before === 'string') return before;
    // A recursive type needs a name.
    if (before === null) return this.#name(key).name;
    this.#written.set(key, null);
    const text = this.write(target, Math.min(depth, maxDepth - 3));
    const isNamed = this.#named.has(key);
    if (!isNamed && text.length <= inlineLength) {
      this.#written.set(key, text);
      return text;
    }
    const named = this.#name(key);
    named.text = text;
    this.#written.set(key, named.name);
    return named.name;
  }

  #name(key: string): { readonly name: string; text: string } {
    const known = this.#named.get(key);
    if (known !== undefined) return known;
    const plain = key.replace(/[^A-Za-z0-9_$]+/g, '_').slice(0, 40) || 'Type';
    const wanted = /^\d/.test(plain) ? `_${plain}` : plain;
    let name = wanted;
    for (let n = 2; this.#taken.has(name); n++) name = `${wanted}${n}`;
    this.#taken.add(name);
    const named = { name, text: 'unknown' };
    this.#named.set(key, named);
    return named;
  }

  #plain(schema: JsonSchema, depth: number): string {
    const { type, properties, items, prefixItems, additionalProperties } = schema;
    const types = Array.isArray(type) ? type : [type];
    if (types.length > 1)
      return [...new Set(types.map((one) => this.#plain({ ...schema, type: one }, depth)))].join(' | ');
    const [only] = types;
    if (only === 'array' || (only === undefined && (items !== undefined || prefixItems !== undefined))) {
      const inner = items === undefined || items === true ? 'unknown' : this.write(items, depth);
      return isUnion(inner) ? `(${inner})[]` : `${inner}[]`;
    }
    if (isObject(properties) && Object.keys(properties).length > 0)
      return this.#object(schema, properties, depth);
    switch (only) {
      case 'integer':
      case 'number':
        return 'number';
      case 'string':
      case 'boolean':
      case 'null':
        return only;
      case 'object':
        return isObject(additionalProperties) && Object.keys(additionalProperties).length > 0
          ? `Record<string, ${this.write(additionalProperties, depth + 1)}>`
          : depth === 0
            ? '{}'
            : 'object';
      default:
        return 'unknown';
    }
  }

  #object(schema: JsonSchema, properties: JsonSchema, depth: number): string {
    const required = new Set(arrayOr(schema['required']));
    const names = Object.keys(properties);
    const shown = names
      .toSorted((one, other) => Number(required.has(other)) - Number(required.has(one)))
      .slice(0, maxFields);
    const fields = shown.map((name) => {
      const remark = this.#withRemarks && depth === 0 ? remarkOf(properties[name]) : '';
      const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
      return `${key}${required.has(name) ? '' : '?'}: ${this.write(properties[name], depth + 1)}${remark}`;
    });
    if (names.length > maxFields) fields.push('…');
    return `{ ${fields.join('; ')} }`;
  }

  #union(branches: readonly unknown[], depth: number): string {
    const texts = new Set(branches.slice(0, maxBranches).map((branch) => this.write(branch, depth + 1)));
    if (branches.length > maxBranches) texts.add('unknown');
    return texts.has('unknown') && texts.size > 1 ? 'unknown' : [...texts].join(' | ') || 'unknown';
  }

  // All parts of an allOf apply, so their fields are merged.
  #merged(schema: JsonSchema, parts: readonly unknown[]): JsonSchema {
    const { allOf: _allOf, ...own } = schema;
    const merged: Record<string, unknown> = { ...own };
    const seen = new Set<string>();
    const queue = [...parts];
    for (let at = 0; at < queue.length && at < 50; at++) {
      const part = queue[at];
      if (!isObject(part)) continue;
      const { $ref, allOf, properties, required, ...rest } = part;
      if (typeof $ref === 'string' && $ref.startsWith(refPrefix) && !seen.has($ref)) {
        seen.add($ref);
        queue.push(this.#defs[$ref.slice(refPrefix.length)]);
      }
      if (Array.isArray(allOf)) queue.push(...allOf);
      if (isObject(properties)) merged['properties'] = { ...objectOr(merged['properties']), ...properties };
      if (Array.isArray(required)) merged['required'] = [...arrayOr(merged['required']), ...required];
      for (const [keyword, value] of Object.entries(rest)) merged[keyword] ??= value;
    }
    return merged;
  }
}

/** Whether a type is a union at its top level. */
function isUnion(type: string): boolean {
  let depth = 0;
  for (const character of type) {
    if ('{(<'.includes(character)) depth++;
    else if ('})>'.includes(character)) depth--;
    else if (character === '|' && depth === 0) return true;
  }
  return false;
}

function values(all: readonly unknown[]): string {
  const shown = all.slice(0, maxValues).map((value) => JSON.stringify(value) ?? 'null');
  if (all.length > maxValues) shown.push(typeof all[0] === 'string' ? 'string' : 'unknown');
  return shown.join(' | ');
}

function remarkOf(schema: unknown): string {
  const { description } = objectOr(schema);
  const sentence = typeof description === 'string' ? firstSentence(description, maxRemark) : '';
  return sentence === '' ? '' : ` /* ${sentence.replaceAll('*/', '* /')} */`;
}
