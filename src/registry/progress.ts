import { setTimeout as delay } from 'node:timers/promises';
import type { MetaStore } from '../storage/ports.ts';
import type { Registry } from './registry.ts';

const prefix = 'caught_up:';
const pollEveryMs = 20;
const maxWaitMs = 3_000;

/**
 * Publishes how far this process has caught up to anyone who opens this data folder, until the returned
 * function is called.
 */
export async function publishProgress(
  meta: MetaStore,
  registry: Pick<Registry, 'snapshot' | 'onChange'>,
  onTrouble: (error: unknown) => void,
): Promise<() => Promise<void>> {
  const mine = `${prefix}${process.pid}`;
  let writing = Promise.resolve();
  const write = () => {
    writing = writing.then(() => meta.set(mine, String(registry.snapshot.seq)).catch(onTrouble));
  };
  const stop = registry.onChange(write);
  for (const [name] of await meta.getAll(prefix)) if (!isAlive(name)) await meta.delete(name);
  write();
  await writing;
  return async () => {
    stop();
    await writing;
    await meta.delete(mine).catch(onTrouble);
  };
}

/**
 * Resolves once every process that serves from this data folder knows the registry up to a sequence number, so
 * that what a command created can be used when the command ends. A process's note is removed if waiting for it
 * timed out, so that it delays one command and not all: a process that was killed could not remove it, and its
 * ID may belong to another one by now. A process that only hung publishes again once it has caught up.
 */
export async function waitForProgress(meta: MetaStore, seq: number): Promise<void> {
  const endsAtMs = Date.now() + maxWaitMs;
  for (;;) {
    const isInTime = Date.now() <= endsAtMs;
    const behind = (await meta.getAll(prefix)).filter(([, known]) => Number(known) < seq);
    const lost = behind.filter(([name]) => !isInTime || !isAlive(name));
    for (const [name] of lost) await meta.delete(name);
    if (lost.length === behind.length) return;
    await delay(pollEveryMs);
  }
}

/** Whether the process that wrote this is still running; one that was killed could not remove it. */
function isAlive(name: string): boolean {
  try {
    return process.kill(Number(name.slice(prefix.length)), 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
