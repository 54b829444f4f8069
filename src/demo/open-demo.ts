import { isPrivateToThisMachine } from '../config/reachable.ts';
import type { Config } from '../config/settings.ts';
import { isEmbedded } from '../config/store-location.ts';
import { handrailItself } from '../domain/audit.ts';
import type { OnClose } from '../lib/close-stack.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServingRules } from '../registry/rules/servers.ts';
import { startDemoApi } from './demo-api.ts';
import { registerDemo } from './register-demo.ts';

/** Registers the demo API in an empty registry and serves it, where it belongs; returns its origin, null without it. */
export async function openDemo(options: {
  readonly config: Pick<Config, 'demo' | 'host' | 'publicUrl' | 'trustProxy' | 'dataDir' | 'databaseUrl'>;
  readonly registry: Registry;
  readonly rules: ServingRules;
  readonly now: () => number;
  readonly onClose: OnClose;
}): Promise<string | null> {
  const { config, registry, rules, now, onClose } = options;
  // It belongs on someone's own machine; elsewhere it must be asked for.
  const isServed = config.demo === true || (isEmbedded(config) && isPrivateToThisMachine(config));
  if (isServed && config.demo !== false) {
    await registry.commit(handrailItself, (snapshot) => registerDemo(snapshot, rules, { nowMs: now() }));
  }
  const isRegistered = [...registry.snapshot.apis.values()].some((api) => api.builtIn);
  if (!isServed || !isRegistered) return null;
  const { origin, close } = await startDemoApi();
  onClose(close);
  return origin;
}
