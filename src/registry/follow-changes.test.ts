import pino from 'pino';
import { expect, it } from 'vitest';
import { openTestRegistry } from '../../test/support/opened-registry.ts';
import { handrailItself } from '../domain/audit.ts';
import type { RegistryStore } from '../storage/ports.ts';
import { followChanges } from './follow-changes.ts';
import { Registry } from './registry.ts';

const log = pino({ level: 'silent' });

/** A second process on the same store, whose hints never arrive. */
async function followWithoutHints(store: RegistryStore, now: () => number = Date.now) {
  const registry = await Registry.load(store);
  const followed = await followChanges({ registry, store: { watch: async () => async () => {} }, log, now });
  return { registry, followed };
}

const rename = (registry: Registry, name: string) =>
  registry.commit(handrailItself, (snapshot) => {
    const [server] = snapshot.servers.values();
    return { changes: [{ op: 'put', kind: 'server', entity: { ...server!, name } }], result: null };
  });

const nameIn = ({ snapshot }: Registry) => [...snapshot.servers.values()][0]!.name;

it('takes in what another process committed although no hint came', async () => {
  const { registry, store, close } = await openTestRegistry();
  const other = await followWithoutHints(store.registry);
  await rename(registry, 'Renamed');
  await expect.poll(() => nameIn(other.registry)).toBe('Renamed');
  await other.followed.stop();
  await close();
});

it('goes on trying when the store fails, and says how long it has been behind', async () => {
  const { registry, store, close } = await openTestRegistry();
  let isAway = false;
  let failures = 0;
  const failing: RegistryStore = {
    ...store.registry,
    async changesSince(seq) {
      if (isAway) {
        failures++;
        throw new Error('away');
      }
      return store.registry.changesSince(seq);
    },
  };
  let time = 0;
  const other = await followWithoutHints(failing, () => time);
  isAway = true;
  await rename(registry, 'While away');
  await expect.poll(() => failures).toBeGreaterThanOrEqual(2);
  time = 7_000;
  expect(other.followed.lagMs()).toBe(7_000);
  expect(nameIn(other.registry)).not.toBe('While away');
  isAway = false;
  await expect.poll(() => nameIn(other.registry)).toBe('While away');
  expect(other.followed.lagMs()).toBe(0);
  await other.followed.stop();
  await close();
});
