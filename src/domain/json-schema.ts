/** A JSON Schema, draft 2020-12. Plain JSON, so that it can be stored and sent unchanged. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** Any JSON value. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

export type JsonObject = Readonly<Record<string, JsonValue>>;

/** Types the result of a JSON parser. Not for other values, which may contain what JSON cannot. */
export function asJson(parsed: unknown): JsonValue {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parsers return unknown, and checking every part of every message again would slow down each call
  return parsed as JsonValue;
}

/** Whether a JSON value is an object. */
export function isJsonObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a JSON value is a list. */
export function isJsonList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
