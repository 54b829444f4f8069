import { parseMarked, writeMarked, writeMarkedText } from '../../lib/json/numbers/exact-numbers.ts';
import { readSelect } from '../../lib/json/select-part.ts';
import { PartError } from './part-request.ts';

/** What an expression selects of a text, as text, numbers with all their digits; a PartError when it does not fit it. */
export function selectText(text: string, select: string): string {
  const selected = pick(select, parse(text));
  return typeof selected === 'string'
    ? writeMarkedText(selected)
    : writeMarked(JSON.stringify(selected) ?? 'null');
}

function parse(text: string): unknown {
  try {
    return parseMarked(text);
  } catch {
    throw new PartError(
      'The reply is not JSON, so nothing can be selected from it: read it with offset and limit, or search.',
    );
  }
}

function pick(select: string, value: unknown): unknown {
  try {
    return readSelect(select)(value) ?? null;
  } catch (error) {
    throw new PartError(
      `select does not fit this reply: ${error instanceof Error ? error.message : 'it cannot be evaluated'}.`,
      { cause: error },
    );
  }
}
