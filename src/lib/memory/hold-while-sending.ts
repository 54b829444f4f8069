import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpResponse } from '../http-exchange.ts';
import { largeBytes, type MemoryBudget } from './memory-budget.ts';

const countedBy = Symbol('counted by');

/** A connection whose large responses are counted. */
interface Counted {
  [countedBy]?: MemoryBudget;
}

/** Starts counting the large responses of a server. */
export function countAnswersOf(server: Server, memory: MemoryBudget): void {
  server.on('connection', (socket: Socket & Counted) => {
    socket[countedBy] = memory;
  });
}

/** Counts a large response until the client has received it or disconnected. */
export function holdWhileSending(res: HttpResponse, bytes: number): void {
  if (bytes <= largeBytes || res.destroyed) return;
  const socket: Counted | null = res.socket;
  const memory = socket?.[countedBy];
  if (memory === undefined) return;
  memory.add(bytes);
  res.once('close', () => memory.add(-bytes));
}
