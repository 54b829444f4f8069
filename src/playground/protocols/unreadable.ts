import { HandrailError } from '../../domain/errors.ts';
import { isObject, type PlainObject } from '../../lib/json/plain-object.ts';

/** The refusal of an answer that is not in the form that its protocol has. */
export function unreadable(how: string): HandrailError {
  return new HandrailError(
    'reply_invalid',
    `The model's endpoint ${how}. Is its protocol the one it was added with?`,
  );
}

/** The object that an event carries. */
export function objectIn(data: string): PlainObject {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    throw unreadable('sent an event that is not JSON');
  }
  if (!isObject(value)) throw unreadable('sent an event that is no object');
  return value;
}

/** A count of tokens, or nothing. */
export function countIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.round(value) : undefined;
}

/** The refusal of an answer that the endpoint itself broke off with an error. */
export function brokenOff(error: unknown): HandrailError {
  const { message, type } = isObject(error) ? error : { message: error, type: undefined };
  const words = [message, type].find((one) => typeof one === 'string' && one !== '');
  return new HandrailError(
    'upstream_status',
    `The model's endpoint broke off its answer${typeof words === 'string' ? `: ${words.slice(0, 400)}` : ''}.`,
  );
}
