import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { handrailItself } from '../../src/domain/audit.ts';
import { type Decision, Registry } from '../../src/registry/registry.ts';
import type { Snapshot } from '../../src/registry/snapshot.ts';
import { ensureDefaultServer, type ServingRules } from '../../src/registry/rules/servers.ts';
import { openStore } from '../../src/storage/open-store.ts';
import type { Store } from '../../src/storage/ports.ts';

/** A place that only this machine reaches: open servers are allowed. */
export const openRules: ServingRules = { defaultPolicy: { kind: 'open' }, openAllowed: true };

/** A registry on a store of its own, with the server that every installation has. */
export interface OpenedRegistry {
  readonly registry: Registry;
  readonly store: Store;
  /** Commits what a rule decides. */
  decide<T>(rule: (snapshot: Snapshot) => Decision<T>): Promise<T>;
  /** Closes the store and removes its folder. */
  close(): Promise<void>;
}

/** Opens a registry in a new folder. */
export async function openTestRegistry(rules: ServingRules = openRules): Promise<OpenedRegistry> {
  const folder = await mkdtemp(join(tmpdir(), 'handrail-registry-'));
  const store = await openStore({ dataDir: join(folder, 'data') });
  const registry = await Registry.load(store.registry);
  await registry.commit(handrailItself, (snapshot) => ensureDefaultServer(snapshot, rules, { nowMs: 1_000 }));
  return {
    registry,
    store,
    decide: (rule) => registry.commit(handrailItself, rule),
    async close() {
      await store.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
