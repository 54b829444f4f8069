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
