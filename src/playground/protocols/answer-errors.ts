import { playgroundErrors } from '../../domain/error-messages/playground.ts';
import type { HandrailError } from '../../domain/errors.ts';
import { isObject, type PlainObject } from '../../lib/json/plain-object.ts';

/** The error for an answer that doesn't follow the protocol. */
export function unreadableAnswerError(how: string): HandrailError {
  return playgroundErrors.answerUnreadable({ how });
}

/** Parses the JSON object in an event. */
export function objectIn(data: string): PlainObject {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    throw unreadableAnswerError('sent an event that is not JSON');
  }
  if (!isObject(value)) throw unreadableAnswerError('sent an event that is not an object');
  return value;
}

/** A token count, or undefined. */
export function countIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.round(value) : undefined;
}

/** The error for an answer that the endpoint ended with an error. */
export function answerFailedError(error: unknown): HandrailError {
  const { message, type } = isObject(error) ? error : { message: error, type: undefined };
  const words = [message, type].find((one) => typeof one === 'string' && one !== '');
  return playgroundErrors.answerFailed({ words: typeof words === 'string' ? words.slice(0, 400) : '' });
}
