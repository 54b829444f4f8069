import { Session } from 'node:inspector/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { adminApiErrors } from '../../domain/error-messages/admin-api.ts';

/** Which resource is profiled. */
export type ProfileKind = 'cpu' | 'heap';

let isRunning = false;

/**
 * Profiles this process for some seconds, by sampling. A heap profile shows which functions allocated the memory that is
 * still in use; unlike a heap snapshot it contains no values, and so no secrets.
 */
export async function takeProfile(kind: ProfileKind, seconds: number): Promise<Record<string, unknown>> {
  if (isRunning) throw adminApiErrors.profileRunning();
  isRunning = true;
  const session = new Session();
  try {
    session.connect();
    if (kind === 'cpu') {
      await session.post('Profiler.enable');
      await session.post('Profiler.start');
      await delay(seconds * 1_000);
      return { ...(await session.post('Profiler.stop')).profile };
    }
    await session.post('HeapProfiler.startSampling');
    await delay(seconds * 1_000);
    return { ...(await session.post('HeapProfiler.stopSampling')).profile };
  } finally {
    session.disconnect();
    isRunning = false;
  }
}
