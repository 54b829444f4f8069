import { storageErrors } from '../domain/error-messages/storage.ts';

/** Where a page of call records ends: the start and id of its last record. */
export interface CallPosition {
  readonly startedAtMs: number;
  readonly id: string;
}

/** Before every id: the position of all that started earlier. */
export const beforeAnyId = '!';

export function makeCursor({ startedAtMs, id }: CallPosition): string {
  return Buffer.from(`${startedAtMs}:${id}`).toString('base64url');
}

export function parseCursor(cursor: string): CallPosition {
  const match = /^(\d{1,16}):([\x21-\x7e]{1,200})$/.exec(Buffer.from(cursor, 'base64url').toString());
  if (!match) throw storageErrors.cursorInvalid();
  return { startedAtMs: Number(match[1]), id: match[2]! };
}

/** The default limit of a count. */
export const maxCounted = 10_000;
