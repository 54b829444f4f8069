import { HandrailError } from '../domain/errors.ts';
import { isObject } from '../lib/json/plain-object.ts';

/** What a JSON-RPC request is answered under. */
export type RequestId = string | number;

/** Whether a request may be answered under this. */
export function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

/** The longest id that a client may choose, in bytes: every id is kept while its request is under way, and sent back. */
export const maxIdBytes = 1_024;

/** Refuses a message, or a batch with one, whose id, progress token or named request is longer than any needs to be. */
export function refuseOverlongIds(message: unknown): void {
  const what = Array.isArray(message) ? message.map(overlong).find(Boolean) : overlong(message);
  if (what)
    throw new HandrailError('invalid_request', `Invalid Request: ${what} is longer than ${maxIdBytes} bytes`);
}

/** Which id of a message is too long; null when none is. */
export function overlong(message: unknown): string | null {
  if (!isObject(message)) return null;
  const { id, params } = message;
  if (isOverlong(id)) return 'the id';
  if (!isObject(params)) return null;
  if (isOverlong(params['requestId'])) return 'the requestId';
  const meta = params['_meta'];
  return isObject(meta) && isOverlong(meta['progressToken']) ? 'the progressToken' : null;
}

function isOverlong(id: unknown): boolean {
  // No character takes more than three bytes for each of its units.
  return typeof id === 'string' && id.length * 3 > maxIdBytes && Buffer.byteLength(id) > maxIdBytes;
}
