import { expect, it } from 'vitest';
import { openTestRegistry } from '../../test/support/opened-registry.ts';
import { handrailItself } from '../domain/audit.ts';
import { publishProgress, waitForProgress } from './progress.ts';
import { Registry } from './registry.ts';

const rename = (registry: Registry, name: string) =>
  registry.commit(handrailItself, (snapshot) => {
    const [server] = snapshot.servers.values();
    return { changes: [{ op: 'put', kind: 'server', entity: { ...server!, name } }], result: null };
  });

const never = (error: unknown) => expect.unreachable(String(error));

it('waits until whoever serves has taken in what was changed', async () => {
  const { registry, store, close } = await openTestRegistry();
  const serving = await Registry.load(store.registry);
  const stop = await publishProgress(store.meta, serving, never);
  await rename(registry, 'Renamed');
  let isOver = false;
  const waiting = waitForProgress(store.meta, registry.snapshot.seq).then(() => (isOver = true));
  await store.meta.get('a turn of the store');
  expect(isOver).toBe(false);
  await serving.sync();
  await waiting;
  expect(await store.meta.getAll('caught_up:')).toEqual([
    [`caught_up:${process.pid}`, String(registry.snapshot.seq)],
  ]);
  await stop();
  expect(await store.meta.getAll('caught_up:')).toEqual([]);
  await close();
});

it('waits for nobody where nobody serves, and not for one that was killed', async () => {
  const { registry, store, close } = await openTestRegistry();
  await waitForProgress(store.meta, registry.snapshot.seq + 1);
  // No system gives out a process id above 2^22.
  await store.meta.set('caught_up:9999999', '0');
  await waitForProgress(store.meta, registry.snapshot.seq + 1);
  expect(await store.meta.getAll('caught_up:')).toEqual([]);
  await store.meta.set('caught_up:9999999', '0');
  const stop = await publishProgress(store.meta, registry, never);
  expect((await store.meta.getAll('caught_up:')).map(([name]) => name)).toEqual([`caught_up:${process.pid}`]);
  await stop();
  await close();
});

it('waits once for a process that has the number of one that was killed, and again for one that only hung', async () => {
  const { registry, store, close } = await openTestRegistry();
  const serving = await Registry.load(store.registry);
  const stop = await publishProgress(store.meta, serving, never);
  await store.meta.set(`caught_up:${process.ppid}`, '0');
  await rename(registry, 'Renamed');
  await waitForProgress(store.meta, registry.snapshot.seq);
  expect(await store.meta.getAll('caught_up:')).toEqual([]);
  await serving.sync();
  await expect
    .poll(() => store.meta.getAll('caught_up:'))
    .toEqual([[`caught_up:${process.pid}`, String(registry.snapshot.seq)]]);
  await stop();
  await close();
});
