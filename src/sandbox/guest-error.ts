import { readJson } from '../lib/schema/read-json.ts';
import { integer, object, optional, text } from '../lib/schema/schema.ts';
import type { GuestError } from './messages.ts';

const toldError = object({
  message: text({ max: 10_000 }),
  name: optional(text({ max: 200 })),
  stack: optional(text({ max: 10_000 })),
  code: optional(text({ max: 200 })),
  status: optional(integer()),
});

/** Reads what a script's prelude tells of an error; of one that is not what it should be, that it was thrown. */
export function readGuestError(payload: string): GuestError {
  const told = readJson(toldError, payload);
  if (told === null) return { message: 'The script threw something that cannot be read.' };
  const { stack, ...error } = told;
  const line = lineIn(stack);
  return line === undefined ? error : { ...error, line };
}

/** The line of a script that a stack leads to first. */
export function lineIn(stack: string | undefined): number | undefined {
  const found = /\bscript:(\d{1,7})/.exec(stack ?? '');
  return found === null ? undefined : Number(found[1]);
}
