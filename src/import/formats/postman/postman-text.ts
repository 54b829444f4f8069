import { objectOr, textOr } from '../../../lib/json/plain-object.ts';

/** A value that is not left to a variable. */
export function plainValue(value: string): string {
  return value.includes('{{') ? '' : value;
}

/** A description, written as text or as an object with its content. */
export function markdown(value: unknown): string | undefined {
  return textOr(value) ?? textOr(objectOr(value)['content']);
}
