import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { isPrivateToThisMachine } from '../config/reachable.ts';
import type { Config } from '../config/settings.ts';
import { handrailItself } from '../domain/audit.ts';
import { HandrailError } from '../domain/errors.ts';
import { labelOfRow, type SetAsideRow } from '../domain/stored/read-stored.ts';
import type { OnClose } from '../lib/close-stack.ts';
import type { Store } from '../storage/ports.ts';
import { followChanges, type RegistryLag } from './follow-changes.ts';
import { Registry } from './registry.ts';
import { ensureDefaultServer, type ServingRules } from './rules/servers.ts';
import type { RegisteredApis } from '../upstream/open-upstream.ts';
import { settingsOf } from './settings.ts';

/** What servers may be on the address that the gateway listens on. */
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

/** Loads the registry, with the server that every installation has, and follows what other processes commit. */
export async function openRegistry(options: {
  readonly store: Pick<Store, 'registry' | 'watch'>;
  readonly rules: ServingRules;
  readonly log: Logger;
  readonly now: () => number;
  readonly onClose: OnClose;
}): Promise<OpenedRegistry> {
  const { store, rules, log, now } = options;
  const registry = await Registry.load(store.registry, (err) =>
    log.error({ err }, 'a change of the registry could not be followed everywhere'),
  );
  tellSetAside(registry.snapshot.setAside.rows, log);
  registry.onChange((after, before) => {
    if (after.setAside === before.setAside) return;
    tellSetAside(
      after.setAside.rows.filter(({ kind, id }) => !before.setAside.has(kind, id)),
      log,
    );
  });
  await registry.commit(handrailItself, (snapshot) => ensureDefaultServer(snapshot, rules, { nowMs: now() }));
  refuseOpenServers(registry, rules);
  const followed = await followChanges({ registry, store, log, now });
  options.onClose(() => followed.stop());
  return { registry, lag: followed };
}

function tellSetAside(rows: readonly SetAsideRow[], log: Logger): void {
  for (const row of rows) {
    log.error(
      { kind: row.kind, id: row.id, name: labelOfRow(row), problems: row.problems },
      'a stored row cannot be read and was set aside: what it stands for is not served (see "handrail set-aside")',
    );
  }
}

function refuseOpenServers(registry: Registry, rules: ServingRules): void {
  if (rules.openAllowed) return;
  const open = [...registry.snapshot.servers.values()].filter(
    (server) => server.enabled && server.policy.kind === 'open',
  );
  if (open.length === 0) return;
  throw new HandrailError(
    'config_invalid',
    `Others can reach this gateway (by its address, or through the proxy that HANDRAIL_PUBLIC_URL or HANDRAIL_TRUST_PROXY speak of), but ${open.map((server) => `"${server.slug}"`).join(', ')} would let anyone call your APIs. ` +
      `Ask for access keys (handrail servers update ${open[0]!.slug} --policy key), or set HANDRAIL_ALLOW_OPEN=true if that is what you want.`,
  );
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

/** Reads what other processes committed. If the store doesn't answer soon, what is known is good enough. */
export async function catchUp(registry: Registry): Promise<void> {
  const over = new AbortController();
  const late = delay(maxCatchUpMs, undefined, { signal: over.signal }).catch(() => undefined);
  await Promise.race([registry.sync().catch(() => undefined), late]);
  over.abort();
}
