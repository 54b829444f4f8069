import type { Logger } from 'pino';
import type { SharedBudgets } from '../budgets/shared-budgets.ts';
import type { Config } from '../config/settings.ts';
import type { Api } from '../domain/api.ts';
import type { HandrailError } from '../domain/errors.ts';
import type { MemoryBudget } from '../lib/memory/memory-budget.ts';
import type { OnClose } from '../lib/close-stack.ts';
import { sameJson } from '../lib/json/same-json.ts';
import type { Hints } from '../lib/siblings.ts';
import type { Send, SendPolicies } from '../pipeline/send.ts';
import { createEgressGuard } from './connections/egress.ts';
import { createFetchGuarded, type FetchGuarded } from './fetch-guarded.ts';
import { namesHost } from '../lib/network/network-list.ts';
import { createHealth, type Health, type SharedProbes } from './health.ts';
import { readCircuitHint } from './policies/breaker.ts';
import { createPolicies, type Policies } from './policies/policies.ts';
import { createSend } from './send.ts';

/** The registered APIs, as needed by this module. */
export interface RegisteredApis {
  /** By id; a new map after each change. */
  all(): ReadonlyMap<string, Api>;
  /** Private addresses that any API may use. */
  egressAllow(): readonly string[];
  /** Calls the listener after each change of the registry, with the ids of the APIs that it edited. */
  onChange(listener: (editedApiIds: readonly string[]) => void): void;
}

/** Everything a gateway needs to call other machines. */
export interface Upstream {
  /** Sends a request once, without policies. */
  readonly send: Send;
  /** The policies that wrap the send of a call. */
  readonly sendPolicies: SendPolicies;
  /** Sends requests that are not calls, such as for a document or a token. */
  readonly fetch: FetchGuarded;
  /** The same for addresses that strangers name: never into a private network, unless the operator allowed the host by name. */
  readonly fetchPublic: FetchGuarded;
  /** Why an API's base URL may not be called; null if it may. */
  readonly explainRefusal: (url: URL) => Promise<HandrailError | null>;
  readonly health: Health;
  readonly load: Policies['load'];
}

const circuitKind = 'circuit';

/** Opens everything that calls other machines, behind one egress guard that follows the registered APIs. */
export function openUpstream(options: {
  readonly config: Pick<Config, 'egressAllow' | 'httpsProxy'>;
  readonly apis: RegisteredApis;
  /** The memory budget for large replies. */
  readonly memory: MemoryBudget;
  /** Where the demo API listens; null without it. */
  readonly demoOrigin: string | null;
  /** Shared with other processes; null if there are none. */
  readonly budgets: SharedBudgets | null;
  /** Set if one of several processes probes for all; null with a single process. */
  readonly probes: SharedProbes | null;
  /** Channel to other processes for sharing circuits; null if there are none. */
  readonly hints: Hints | null;
  readonly log: Logger;
  readonly now: () => number;
  readonly onClose: OnClose;
}): Upstream {
  const { config, apis, memory, demoOrigin, budgets, hints, log, now, onClose } = options;
  const guard = createEgressGuard({
    allow: config.egressAllow,
    ...(config.httpsProxy !== undefined && { proxy: config.httpsProxy }),
  });
  const sender = createSend({ guard, now, memory, demo: () => demoOrigin });
  onClose(() => sender.close());
  const { fetch, close } = createFetchGuarded({ guard, now, memory });
  onClose(close);
  const forStrangers = createFetchGuarded({
    guard: createEgressGuard({
      allow: config.egressAllow.filter(namesHost),
      ...(config.httpsProxy !== undefined && { proxy: config.httpsProxy }),
    }),
    now,
    memory,
  });
  onClose(forStrangers.close);
  const health = createHealth({
    fetch,
    ...(options.probes !== null && { probes: options.probes }),
    onTrouble: (api, err) => log.warn({ api: api.slug, err }, 'an API does not answer its probe'),
  });
  onClose(() => health.close());
  const policies = createPolicies({
    now,
    circuits: {
      onChange: (apiId) => health.circuitChanged(apiId),
      publish: (hint) => hints?.tell(circuitKind, hint),
    },
    budgets,
  });
  health.watch(policies.breaker);
  hints?.on(circuitKind, (body) => {
    const hint = readCircuitHint(body);
    if (hint !== null && apis.all().has(hint.apiId)) policies.breaker.applyHint(hint);
  });

  let egressAllow = apis.egressAllow();
  let followed = apis.all();
  guard.setOwnEntries(egressAllow);
  health.follow(followed.values());
  apis.onChange((editedApiIds) => {
    if (!sameJson(apis.egressAllow(), egressAllow)) {
      egressAllow = apis.egressAllow();
      guard.setOwnEntries(egressAllow);
    }
    if (apis.all() !== followed) {
      followed = apis.all();
      health.follow(followed.values());
    }
    // An operator who fixes an API should not have to wait for its circuit to close.
    for (const apiId of editedApiIds) {
      policies.breaker.reset(apiId);
      health.circuitChanged(apiId);
    }
  });
  const { sendPolicies, load } = policies;
  return {
    send: sender.send,
    sendPolicies,
    fetch,
    fetchPublic: forStrangers.fetch,
    explainRefusal: (url) => guard.explain(url),
    health,
    load,
  };
}
