import type { JsonValue } from '../../domain/json-schema.ts';

declare const checked: unique symbol;

/** Arguments that passed `validate`: defaults and hidden values are filled in, nothing undeclared is left. */
export type Arguments = Readonly<Record<string, JsonValue>> & { readonly [checked]: true };

/** Marks arguments as validated. For `validate` itself, and for steps that change them afterwards. */
export function asArguments(values: Readonly<Record<string, JsonValue>>): Arguments {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the mark is the compiler's alone: no value carries it
  return values as Arguments;
}
