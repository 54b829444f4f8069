import { readFileSync, readlinkSync } from 'node:fs';

/** The system's ID of the current thread; null if it isn't known. */
export function ownThreadId(): number | null {
  try {
    const id = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    return Number.isInteger(id) ? id : null;
  } catch {
    return null;
  }
}

/**
 * The CPU time of a thread of this process in milliseconds; null if the system doesn't report it. On a busy
 * machine a thread may wait most of the time, which isn't the fault of the script that runs in it.
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
