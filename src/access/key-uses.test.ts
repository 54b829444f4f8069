import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenedRegistry, openTestRegistry } from '../../test/support/opened-registry.ts';
import { createKeyUses } from './key-uses.ts';

describe('when keys were used', () => {
  let opened: OpenedRegistry;
  beforeEach(async () => {
    opened = await openTestRegistry();
  });
  afterEach(() => opened.close());

  it('is known at once here, and elsewhere after a sync', async () => {
    const [here, there] = [createKeyUses(opened.store.meta), createKeyUses(opened.store.meta)];
    expect(here.lastUsedAtMs('key_1')).toBeUndefined();
    here.note('key_1', 5_000);
    expect(here.lastUsedAtMs('key_1')).toBe(5_000);
    await there.sync();
    expect(there.lastUsedAtMs('key_1')).toBeUndefined();
    await here.sync();
    await there.sync();
    expect(there.lastUsedAtMs('key_1')).toBe(5_000);
    expect(there.lastUsedAtMs('key_2')).toBeUndefined();
  });

  it('outlives the process', async () => {
    const before = createKeyUses(opened.store.meta);
    before.note('key_1', 5_000);
    before.note('key_1', 6_000);
    await before.sync();
    const after = createKeyUses(opened.store.meta);
    await after.sync();
    expect(after.lastUsedAtMs('key_1')).toBe(6_000);
  });

  it('is not lost when the store is away for a moment, nor is what happened meanwhile', async () => {
    const uses = createKeyUses(opened.store.meta);
    uses.note('key_1', 5_000);
    uses.note('key_2', 5_000);
    await opened.store.close();
    const failing = uses.sync();
    uses.note('key_1', 7_000);
    await expect(failing).rejects.toThrow('The store is closed.');
    expect([uses.lastUsedAtMs('key_1'), uses.lastUsedAtMs('key_2')]).toEqual([7_000, 5_000]);
  });
});
