import { mcpErrors } from '../domain/error-messages/mcp.ts';
import { isObject } from '../lib/json/plain-object.ts';

/** The ID of a JSON-RPC request. */
export type RequestId = string | number;

/** Whether this is a valid request ID. */
export function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

/** The maximum length of a request ID in bytes: every ID is kept while its request is running, and sent back. */
export const maxIdBytes = 1_024;

/** Rejects a message, or a batch with one, whose ID, progress token or `requestId` is too long. */
export function rejectOverlongIds(message: unknown): void {
  const field = Array.isArray(message) ? message.map(overlong).find(Boolean) : overlong(message);
  if (field) throw mcpErrors.idTooLong({ field, maxBytes: maxIdBytes });
}

/** Which ID of a message is too long; null if none is. */
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
  // A UTF-16 code unit takes at most three bytes.
  return typeof id === 'string' && id.length * 3 > maxIdBytes && Buffer.byteLength(id) > maxIdBytes;
}
