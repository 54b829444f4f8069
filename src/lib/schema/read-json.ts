import { fits } from './problems.ts';
import type { AnySchema, Infer } from './schema.ts';

/** What a text holds as JSON of this form; null when it is not JSON, or of another form. */
export function readJson<S extends AnySchema>(schema: S, text: string): Infer<S> | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  return fits(schema, value) ? value : null;
}
