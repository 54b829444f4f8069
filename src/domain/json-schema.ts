/** A JSON Schema, draft 2020-12. Kept as plain JSON so that it can be stored and sent as it is. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** Any value JSON can carry. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

export type JsonObject = Readonly<Record<string, JsonValue>>;

/** What a JSON reader made, as what it is. For nothing else: a value of our own may hold what JSON does not. */
export function asJson(parsed: unknown): JsonValue {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- readers say unknown, and to look at every part of every message again would cost each call
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
