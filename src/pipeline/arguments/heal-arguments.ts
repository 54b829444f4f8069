import {
  asJson,
  isJsonList,
  isJsonObject,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
} from '../../domain/json-schema.ts';
import { carryWritten, isLongNumber, keepWritten } from '../../lib/json/numbers/exact-numbers.ts';
import { isObject, objectOr } from '../../lib/json/plain-object.ts';
import { maxJsonDepth, parseStrictJsonText, StrictJsonError } from '../../lib/json/strict/strict-json.ts';
import { allowedTypes, schemaBranches } from '../../lib/json/schema-branches.ts';
import type { CompiledTool } from '../compiled-tool.ts';

const maxDepth = 12;
const maxValues = 10_000;
const maxNumberLength = 40;
// Only as JSON writes them: `"5.00"` for an amount in cents is more likely five units than five cents.
const jsonInteger = /^-?(?:0|[1-9]\d*)$/;
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

/**
 * Repairs common model mistakes that have only one possible meaning: `"3"` for a number, `"true"` for a boolean, an array
 * or object as JSON text, and null for an optional argument. Changes the arguments in place and returns whether it did.
 * Call it only for arguments that failed the schema check.
 */
export function healArguments(tool: CompiledTool, args: Record<string, JsonValue>): boolean {
  const healer = new Healer(tool.tool.operation.defs);
  let healed = false;
  for (const { name, schema, required, fixed, default: preset } of tool.tool.operation.parameters) {
    const value = args[name];
    if (value === undefined || fixed !== undefined) continue;
    if (value === null) {
      if (required && preset === undefined) continue;
      if (healer.allowsNull(schema)) continue;
      if (preset === undefined) delete args[name];
      else args[name] = preset;
      healed = true;
      continue;
    }
    const better = healer.heal(value, schema, maxDepth);
    if (better === value) continue;
    if (isDeeperThan(better, maxJsonDepth)) continue;
    args[name] = better;
    keepDigits(args, name, value, better);
    healed = true;
  }
  return healed;
}

// A number parsed from text keeps the exact digits of that text.
function keepDigits(holder: object, key: string | number, text: JsonValue, better: JsonValue): void {
  if (typeof text === 'string' && typeof better === 'number' && isLongNumber(text.trim()))
    keepWritten(holder, key, text.trim());
}

// JSON text inside JSON text could otherwise exceed the depth limit.
function isDeeperThan(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner: JsonValue) => isDeeperThan(inner, levels - 1));
}

class Healer {
  readonly #defs: Readonly<Record<string, JsonSchema>> | undefined;
  #left = maxValues;

  constructor(defs: Readonly<Record<string, JsonSchema>> | undefined) {
    this.#defs = defs;
  }

  allowsNull(schema: JsonSchema): boolean {
    return schemaBranches(schema, this.#defs).some(({ type, enum: values, const: only }) => {
      if (Array.isArray(values)) return values.includes(null);
      if (only !== undefined) return only === null;
      return type === undefined || type === 'null' || (Array.isArray(type) && type.includes('null'));
    });
  }

  /** The repaired value, or the same value if there is nothing to repair. */
  heal(value: JsonValue, schema: unknown, depth: number): JsonValue {
    if (depth === 0 || this.#left-- <= 0) return value;
    if (typeof value === 'string') return this.#healText(value, schema, depth);
    if (isJsonList(value)) return this.#healList(value, schema, depth);
    return isJsonObject(value) ? this.#healObject(value, schema, depth) : value;
  }

  #healText(value: string, schema: unknown, depth: number): JsonValue {
    const allowed = allowedTypes(schema, this.#defs);
    if (allowed === null || allowed.has('string')) return value;
    const text = value.trim();
    if (text[0] === '[' || text[0] === '{') {
      if (!allowed.has(text[0] === '[' ? 'array' : 'object')) return value;
      try {
        return this.heal(asJson(parseStrictJsonText(text)), schema, depth - 1);
      } catch (error) {
        if (!(error instanceof StrictJsonError)) throw error;
        return value;
      }
    }
    if (allowed.has('boolean') && (value === 'true' || value === 'false')) return value === 'true';
    if (!allowed.has('number') && !allowed.has('integer')) return value;
    if (value.length > maxNumberLength || !(allowed.has('number') ? jsonNumber : jsonInteger).test(value))
      return value;
    const number = Number(value);
    return Number.isFinite(number) ? number : value;
  }

  #healList(list: readonly JsonValue[], schema: unknown, depth: number): JsonValue {
    const lists = schemaBranches(schema, this.#defs).filter((branch) => isObject(branch['items']));
    if (lists.length !== 1) return list;
    const healed = list.map((item) => this.heal(item, lists[0]!['items'], depth - 1));
    if (healed.every((item, index) => item === list[index])) return list;
    carryWritten(list, healed);
    for (const [index, item] of healed.entries()) keepDigits(healed, index, list[index]!, item);
    return healed;
  }

  #healObject(object: JsonObject, schema: unknown, depth: number): JsonValue {
    const forms = schemaBranches(schema, this.#defs).filter((branch) => isObject(branch['properties']));
    if (forms.length === 0) return object;
    let healed: Record<string, JsonValue> | null = null;
    for (const [name, value] of Object.entries(object)) {
      const schemas = forms
        .map(({ properties }) => objectOr(properties))
        .flatMap((properties) => (Object.hasOwn(properties, name) ? [properties[name]] : []));
      // If several branches declare it differently, there is no way to know which one applies.
      if (schemas.length !== 1) continue;
      const better = this.heal(value, schemas[0], depth - 1);
      if (better === value) continue;
      healed ??= { ...object };
      healed[name] = better;
      keepDigits(healed, name, value, better);
    }
    if (healed) carryWritten(object, healed);
    return healed ?? object;
  }
}
