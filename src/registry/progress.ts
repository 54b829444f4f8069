import { setTimeout as delay } from 'node:timers/promises';
import type { MetaStore } from '../storage/ports.ts';
import type { Registry } from './registry.ts';

const prefix = 'caught_up:';
const lookEveryMs = 20;
const maxMs = 3_000;

/** Tells whoever opens this data folder how far this process has come, from now until what is returned is called. */
export async function publishProgress(
  meta: MetaStore,
  registry: Pick<Registry, 'snapshot' | 'onChange'>,
  onTrouble: (error: unknown) => void,
): Promise<() => Promise<void>> {
  const mine = `${prefix}${process.pid}`;
  let telling = Promise.resolve();
  const tell = () => {
    telling = telling.then(() => meta.set(mine, String(registry.snapshot.seq)).catch(onTrouble));
  };
  const stop = registry.onChange(tell);
  for (const [name] of await meta.getAll(prefix)) if (!isAlive(name)) await meta.delete(name);
  tell();
  await telling;
  return async () => {
    stop();
    await telling;
    await meta.delete(mine).catch(onTrouble);
  };
}

/**
 * Resolves once every process that serves from this data folder knows the registry up to a sequence number, so that what
 * a command made can be used when it ends. What was waited for in vain is taken away, so that it costs one command a
 * moment and not every one: a process that was killed could not do it, and its number may be another one's by now. One
 * that only hangs tells again once it has caught up.
 */
export async function waitForProgress(meta: MetaStore, seq: number): Promise<void> {
  const endsAtMs = Date.now() + maxMs;
  for (;;) {
    const isInTime = Date.now() <= endsAtMs;
    const behind = (await meta.getAll(prefix)).filter(([, known]) => Number(known) < seq);
    const inVain = behind.filter(([name]) => !isInTime || !isAlive(name));
    for (const [name] of inVain) await meta.delete(name);
    if (inVain.length === behind.length) return;
    await delay(lookEveryMs);
  }
}

/** Whether the process still runs that told this; one that was killed could not take it back. */
function isAlive(name: string): boolean {
  try {
    return process.kill(Number(name.slice(prefix.length)), 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
