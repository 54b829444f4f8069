import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { isPrivateToThisMachine } from '../config/reachable.ts';
import type { Config } from '../config/settings.ts';
import { handrailItself } from '../domain/audit.ts';
import { registryErrors } from '../domain/error-messages/registry.ts';
import { labelOfRow, type SetAsideRow } from '../domain/stored/read-stored.ts';
import type { OnClose } from '../lib/close-stack.ts';
import type { Store } from '../storage/ports.ts';
import { followChanges, type RegistryLag } from './follow-changes.ts';
import { Registry } from './registry.ts';
import { ensureDefaultServer, type ServingRules } from './rules/servers.ts';
import type { RegisteredApis } from '../upstream/open-upstream.ts';
import { settingsOf } from './settings.ts';

/** What is allowed for servers on the address that the gateway listens on. */
export function servingRules(
  config: Pick<Config, 'host' | 'publicUrl' | 'trustProxy' | 'allowOpen'>,
): ServingRules {
  const isPrivate = isPrivateToThisMachine(config);
  return {
    defaultPolicy: { kind: isPrivate ? 'open' : 'key' },
    openAllowed: isPrivate || config.allowOpen,
  };
}

/** The registry, and how far it may be behind the store. */
export interface OpenedRegistry {
  readonly registry: Registry;
  readonly lag: RegistryLag;
}

/** Loads the registry, creates the default server if needed, and follows what other processes commit. */
export async function openRegistry(options: {
  readonly store: Pick<Store, 'registry' | 'watch'>;
  /** What else of the store is read whenever it may have changed. */
  readonly alongside: { sync(): Promise<void> };
  readonly rules: ServingRules;
  readonly log: Logger;
  readonly now: () => number;
  readonly onClose: OnClose;
}): Promise<OpenedRegistry> {
  const { store, alongside, rules, log, now } = options;
  const registry = await Registry.load(store.registry, (err) =>
    log.error({ err }, 'a listener failed to apply a registry change'),
  );
  logSetAside(registry.snapshot.setAside.rows, log);
  registry.onChange((after, before) => {
    if (after.setAside === before.setAside) return;
    logSetAside(
      after.setAside.rows.filter(({ kind, id }) => !before.setAside.has(kind, id)),
      log,
    );
  });
  await registry.commit(handrailItself, (snapshot) => ensureDefaultServer(snapshot, rules, { nowMs: now() }));
  rejectOpenServers(registry, rules);
  const both = { sync: async () => void (await Promise.all([registry.sync(), alongside.sync()])) };
  const followed = await followChanges({ registry: both, store, log, now });
  options.onClose(() => followed.stop());
  return { registry, lag: followed };
}

function logSetAside(rows: readonly SetAsideRow[], log: Logger): void {
  for (const row of rows) {
    log.error(
      { kind: row.kind, id: row.id, name: labelOfRow(row), problems: row.problems },
      'a stored row cannot be read and was set aside, so it is not served (see "handrail set-aside")',
    );
  }
}

function rejectOpenServers(registry: Registry, rules: ServingRules): void {
  if (rules.openAllowed) return;
  const open = [...registry.snapshot.servers.values()].filter(
    (server) => server.enabled && server.policy.kind === 'open',
  );
  if (open.length === 0) return;
  throw registryErrors.openServers({
    servers: open.map((server) => `"${server.slug}"`).join(', '),
    first: open[0]!.slug,
  });
}

/** The APIs of a registry, as `upstream/` follows them. */
export function registeredApis(registry: Registry): RegisteredApis {
  return {
    all: () => registry.snapshot.apis,
    egressAllow: () => settingsOf(registry.snapshot.settings).egressAllow ?? [],
    onChange(listener) {
      registry.onChange((_after, _before, changes) =>
        listener(
          changes
            .filter((change) => change.kind === 'api')
            .map((change) => (change.op === 'put' ? change.entity.id : change.id)),
        ),
      );
    },
  };
}

const maxCatchUpMs = 2_000;

/** Reads what other processes have committed. If the store doesn't respond soon, the known state is good enough. */
export async function catchUp(registry: Pick<Registry, 'sync'>): Promise<void> {
  const over = new AbortController();
  const late = delay(maxCatchUpMs, undefined, { signal: over.signal }).catch(() => undefined);
  await Promise.race([registry.sync().catch(() => undefined), late]);
  over.abort();
}
