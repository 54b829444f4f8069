import { readFileSync, readlinkSync } from 'node:fs';

/** The system's number of the thread that asks; null where it cannot be told. */
export function ownThreadId(): number | null {
  try {
    const id = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    return Number.isInteger(id) ? id : null;
  } catch {
    return null;
  }
}

/**
 * Milliseconds that a thread of this process has computed; null where the system does not tell. On a machine with much to do
 * a thread may wait most of the time, which is not the fault of what runs in it.
 */
export function threadCpuMs(threadId: number | null): number | null {
  if (threadId === null) return null;
  try {
    const [nanoseconds] = readFileSync(`/proc/self/task/${threadId}/schedstat`, 'latin1').split(' ', 1);
    return Number(nanoseconds) / 1e6;
  } catch {
    return null;
  }
}
