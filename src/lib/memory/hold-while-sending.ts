import type { ServerResponse } from 'node:http';
import { bytesUnderWay, largeBytes } from './bytes-under-way.ts';

/** Counts a large answer until the client has taken it or is gone. */
export function holdWhileSending(res: ServerResponse, bytes: number): void {
  if (bytes <= largeBytes) return;
  bytesUnderWay.add(bytes);
  res.once('close', () => bytesUnderWay.give(bytes));
}
