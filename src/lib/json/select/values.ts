import type { WorkBudget } from '../../work-budget.ts';
import type { PlainObject } from '../plain-object.ts';

/** What a list element and an object member are charged in bytes: about what they take in memory. */
export const elementBytes = 16;
export const memberBytes = 48;

/** An object's own member; never an inherited one. */
export function ownMember(value: PlainObject, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Sets a member of an object, even one named `__proto__`. */
export function setMember(holder: object, name: string, value: unknown): void {
  Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true });
}

/**
 * Compares two texts by code point. Equal texts compare as if the first were smaller, as in the library: the
 * order of records with the same key depends on it.
 */
export function compareText(left: string, right: string, budget: WorkBudget): number {
  const shorter = Math.min(left.length, right.length);
  let at = 0;
  while (at < shorter && left.charCodeAt(at) === right.charCodeAt(at)) at++;
  budget.spend(1 + at / 16);
  if (at === shorter) return left.length - right.length > 0 ? 1 : -1;
  // If two surrogate pairs differ only in their second half, the pairs are compared.
  const from = at > 0 && (isPair(left, at - 1) || isPair(right, at - 1)) ? at - 1 : at;
  return left.codePointAt(from)! - right.codePointAt(from)! > 0 ? 1 : -1;
}

function isPair(text: string, at: number): boolean {
  return text.codePointAt(at)! > 0xffff;
}

const anySurrogate = /[\ud800-\udfff]/;

/** The characters of a text; a surrogate pair is one character. */
export function charactersOf(text: string, budget: WorkBudget): string | readonly string[] {
  budget.spend(text.length / 16);
  if (!anySurrogate.test(text)) return text;
  budget.spend(text.length, elementBytes * text.length);
  return [...text];
}

/** Part of a list or text, as `[start:stop:step]` selects it; null for any other value. */
export function sliceOf(
  value: unknown,
  slice: { readonly start: number | null; readonly stop: number | null; readonly step: number | null },
  budget: WorkBudget,
): unknown {
  if (typeof value !== 'string' && !Array.isArray(value)) return null;
  const { length } = value;
  const step = slice.step ?? 1;
  if (step === 0) throw new Error('Invalid value: slice step cannot be 0');
  const start = slice.start === null ? (step < 0 ? length - 1 : 0) : within(length, slice.start, step);
  const stop = slice.stop === null ? (step < 0 ? -1 : length) : within(length, slice.stop, step);
  const items: string | readonly unknown[] = typeof value === 'string' ? charactersOf(value, budget) : value;
  if (typeof items === 'string' && step === 1) {
    budget.spend(1, Math.max(0, stop - start) || 0);
    return start < stop ? items.slice(start, stop) : '';
  }
  const made: unknown[] = [];
  for (let at = start; step > 0 ? at < stop : at > stop; at += step) {
    budget.spend(1, elementBytes);
    made.push(items[at]);
  }
  return typeof value === 'string' ? made.join('') : made;
}

function within(length: number, given: number, step: number): number {
  if (given < 0) return given + length < 0 ? (step < 0 ? -1 : 0) : given + length;
  if (given >= length) return step < 0 ? length - 1 : length;
  return given;
}
