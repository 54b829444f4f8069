import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { largeBytes, type MemoryBudget } from './memory-budget.ts';

const countedBy = Symbol('counted by');

/** A connection whose large responses are counted. */
interface CountedSocket extends Socket {
  [countedBy]?: MemoryBudget;
}

/** Starts counting the large responses of a server. */
export function countAnswersOf(server: Server, memory: MemoryBudget): void {
  server.on('connection', (socket: CountedSocket) => {
    socket[countedBy] = memory;
  });
}

/** Counts a large response until the client has received it or disconnected. */
export function holdWhileSending(res: ServerResponse, bytes: number): void {
  if (bytes <= largeBytes || res.destroyed) return;
  const socket: CountedSocket | null = res.socket;
  const memory = socket?.[countedBy];
  if (memory === undefined) return;
  memory.add(bytes);
  res.once('close', () => memory.add(-bytes));
}
