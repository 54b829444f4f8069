import { fits } from './problems.ts';
import type { AnySchema, Infer } from './schema.ts';

/** Parses JSON of this form; null if the text isn't JSON or has a different form. */
export function readJson<S extends AnySchema>(schema: S, text: string): Infer<S> | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  return fits(schema, value) ? value : null;
}
