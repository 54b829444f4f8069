import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { AdminTokens } from './access/admin-token.ts';
import type { Admins } from './access/admins.ts';
import { createRefusalLimit } from './access/refusal-limit.ts';
import { endedCallers } from './access/ended-callers.ts';
import { openAccess } from './access/open-access.ts';
import { stepUp } from './access/tokens/step-up.ts';
import { openBudgets } from './budgets/open-budgets.ts';
import type { BudgetCoordinator } from './budgets/shared-budgets.ts';
import { createFollowUp, createTellHowToGoOn } from './calls/follow-up.ts';
import { openCalls, type SharedCalls } from './calls/open-calls.ts';
import type { Config } from './config/settings.ts';
import { isEmbedded, storeLocation } from './config/store-location.ts';
import { openCredentials, openKeyRing } from './credentials/open-credentials.ts';
import { createSealedFields } from './credentials/sealed-fields.ts';
import { sealPlainSecrets, sealRegistry } from './credentials/sealed-registry.ts';
import { openDemo } from './demo/open-demo.ts';
import type { AppContext } from './http/app-context.ts';
import { createApp } from './http/app.ts';
import { createClientAddress } from './http/client-address.ts';
import { drain, drainGiven, listenOn, untilQuiet, urlHost } from './http/connections/listening.ts';
import { openImport } from './import/open-import.ts';
import { createCloseStack } from './lib/close-stack.ts';
import type { Siblings } from './lib/siblings.ts';
import { createLog } from './lib/log.ts';
import { bytesUnderWay } from './lib/memory/bytes-under-way.ts';
import { createTokenCounter } from './listing/tokens/token-counter.ts';
import type { NativeFeatures } from './mcp/native.ts';
import { openMcp } from './mcp/open-mcp.ts';
import { createRunCall } from './pipeline/run-call.ts';
import { tellCaughtUp } from './registry/caught-up.ts';
import { openRegistry, servingRules } from './registry/open-registry.ts';
import { registeredApis } from './registry/registered-apis.ts';
import type { Registry } from './registry/registry.ts';
import { createReadings } from './pipeline/readings.ts';
import { openReplies } from './replies/open-replies.ts';
import { openStore } from './storage/open-store.ts';
import { type ClaimWork, createClaims } from './storage/claim-work.ts';
import { countLeases } from './storage/counted-leases.ts';
import type { Store } from './storage/ports.ts';
import { createFetchFile } from './upstream/fetch-file.ts';
import type { SharedProbes } from './upstream/health.ts';
import { openUpstream } from './upstream/open-upstream.ts';
import { waiting } from './upstream/policies/policies.ts';
import { createRateLimit } from './upstream/policies/rate-limit.ts';
import { version } from './version.ts';

/** What whoever starts a gateway has to know. */
export interface Opening {
  /** The admin token, when it was made just now. */
  readonly madeToken: string | null;
  /** Where the first admin account is made, while there is none. */
  readonly setupUrl: string | null;
  readonly hasDemo: boolean;
}

/** A gateway that is put together but does not listen yet. */
export interface Gateway {
  readonly config: Config;
  readonly registry: Registry;
  readonly store: Store;
  readonly adminTokens: AdminTokens;
  readonly admins: Admins;
  readonly log: Logger;
  /** The HTTP surface; commands use it in process through `inject`. */
  readonly app: FastifyInstance;
  readonly context: AppContext;
  /** Starts listening and returns the address. */
  listen(): Promise<string>;
  /** Serves what `take` is given, where somebody else listens at this address. */
  serveAt(address: string): Promise<void>;
  /** What to tell whoever started it, once it serves; only the first of several workers makes a link for the first admin. */
  opening(isFirst?: boolean): Promise<Opening>;
  /** Takes over a connection of a client. */
  take(connection: Socket): void;
  /** Says from now on that it is leaving, and serves on. */
  leave(): void;
  /**
   * Says for `leaveMs` that it is leaving while it serves on, so that a load balancer sends nothing more; then stops
   * listening, lets running calls finish within the drain time, writes what waits and closes the store. With `handOn`,
   * connections that it was given and that nobody uses go there instead of being closed.
   */
  close(leaveMs?: number, handOn?: (connection: Socket) => void): Promise<void>;
}

/** What a program that embeds a gateway may add to it. */
export interface GatewayOptions {
  /** Where log lines go; to stderr without it. */
  readonly log?: Logger;
  /** Tools, prompts and resources that are code, by the slug of the server that shows them beside its own. */
  readonly nativeFeatures?: (slug: string) => NativeFeatures | undefined;
  /** What a worker has from the process that started it and several others. */
  readonly workers?: SharedCalls & { readonly budgets: BudgetCoordinator };
}

/** Puts a gateway together, room by room. The only place that picks implementations. */
export async function createGateway(config: Config, options: GatewayOptions = {}): Promise<Gateway> {
  const { onClose, closeAll } = createCloseStack();
  const { log = createLog(config) } = options;
  const now = Date.now;
  const base = { config, version, log, now, onClose };
  const rules = servingRules(config);
  bytesUnderWay.most = config.maxBytesUnderWay;
  const stopping = new AbortController();
  let isLeaving = false;
  let isServing = false;
  const open = new Set<Socket>();
  const siblings = options.workers?.siblings ?? null;
  let listening = `http://${urlHost(config.host)}:${config.port}`;
  const publicUrl = () => config.publicUrl ?? listening;
  try {
    const store = await openStore(storeLocation(config), log);
    onClose(() => store.close());
    const { meta } = store;
    const leases = countLeases(store.leases);
    // Whoever opens the data folder beside a gateway names the address that it serves at; others share a database.
    if (isEmbedded(config)) listening = (await meta.get(listeningAtFact)) ?? listening;
    const ring = await openKeyRing({ ...base, meta });
    const rows = sealRegistry(store.registry, createSealedFields(ring));
    const shared = tellingCommits({ ...store, registry: rows }, siblings);
    const { registry, lag } = await openRegistry({ ...base, store: shared, rules });
    await sealPlainSecrets({ ...base, registry, rows });
    const demoOrigin = await openDemo({ ...base, registry, rules });
    // On PostgreSQL there may be others at any time.
    const hasOthers = store.kind === 'postgres' || siblings !== null;
    const claimWork = createClaims(leases, hasOthers);
    const budgets = await openBudgets({
      ...base,
      redisUrl: config.budgetsUrl,
      store,
      parent: options.workers?.budgets ?? null,
    });
    const upstream = openUpstream({
      ...base,
      apis: registeredApis(registry),
      demoOrigin,
      budgets: budgets.shared,
      probes: hasOthers ? sharedProbes(store.meta, claimWork) : null,
      hints: store.hints ?? siblings,
    });
    const { fetch, health } = upstream;
    const {
      actions: credentials,
      finder,
      renewals,
    } = await openCredentials({
      ...base,
      ring,
      meta,
      leases,
      registry,
      lag,
      fetch,
    });
    const { clientSecretOf } = credentials;
    const access = await openAccess({ ...base, store, registry, fetch, clientSecretOf, publicUrl });
    const imports = openImport({
      ...base,
      meta,
      registry,
      fetch,
      rules,
      claimWork,
      decideCredential: (snapshot, api, { fields }) => credentials.decide(snapshot, { api, fields }),
      decideOrigins: (snapshot, api, origins) => credentials.decideOrigins(snapshot, api, origins, true),
    });
    const counter = createTokenCounter();
    const readings = createReadings();
    onClose(() => counter.close());
    const { calls, recorder, metrics, record, begun, scrape, keepsContents } = openCalls({
      ...base,
      store,
      registry,
      lag,
      upstream,
      claimWork,
      budgets: budgets.counts,
      counted: {
        renewals: () => renewals.counts,
        leases: () => leases.counts,
        clients: () => mcp.counts(),
      },
      shared: options.workers ?? null,
      replyCounts: () => replies.counts(),
      readings,
      storedSecrets: finder.allSecrets,
    });
    const linkKey = await meta.setIfAbsent('file_link_key', randomBytes(32).toString('base64'));
    const replies = openReplies({
      ...base,
      store: store.keptReplies,
      counter,
      keepsContents,
      readings,
      linkKey: Buffer.from(linkKey, 'base64'),
      base: () => (config.publicUrl !== undefined || isServing ? publicUrl() : null),
      fetchFile: createFetchFile(fetch, now),
      serves: (server, toolId) =>
        registry.snapshot.view(server.slug)?.tools.some(({ compiled }) => compiled.tool.id === toolId) ===
        true,
    });
    registry.onChange((after, before) => {
      for (const callerId of endedCallers(after, before))
        replies.kept
          .removeAllOf(callerId)
          .catch((err: unknown) => log.error({ err }, 'what a caller had kept could not be removed'));
    });
    const servedAs = (slug: string) => registry.snapshot.view(slug);
    const runOne = createRunCall({
      admit: createRateLimit(now, budgets.shared),
      findCredential: finder.findCredential,
      credentialRejected: finder.credentialRejected,
      send: upstream.send,
      sendPolicies: upstream.sendPolicies,
      storedSecrets: finder.allSecrets,
      tellHowToGoOn: createTellHowToGoOn(servedAs),
      files: replies.files,
      runScript: (call, script, args) => code.runSaved(call, script, args),
      record,
      ...(begun !== null && { begun }),
      now,
    });
    const runCall = createFollowUp({
      ...base,
      calls,
      run: runOne,
      viewOf: servedAs,
      record,
      ...(begun !== null && { begun }),
      wait: waiting(now),
    });
    const { nativeFeatures } = options;
    const { mcp, viewOf, costs, countAhead, modes, search, builtInWatch, ...code } = await openMcp({
      ...base,
      publicUrl,
      meta,
      registry,
      budgets: budgets.shared,
      siblings,
      health,
      metrics,
      fetch,
      calls,
      runCall,
      stepUp: (server, caller, toolId) => stepUp(server, caller, toolId, publicUrl()),
      counter,
      replies,
      recorder,
      journalStore: store.scriptJournal,
      keepsContents,
      ...(nativeFeatures && { nativeFeatures }),
    });
    stopping.signal.addEventListener('abort', () => mcp.endListening());

    const context: AppContext = {
      config,
      version,
      log,
      now,
      store,
      registry,
      rules,
      recorder,
      metrics,
      scrape,
      catchUp: siblings === null ? async () => {} : () => catchUp(registry),
      calls,
      runCall,
      mcp,
      viewOf,
      costs,
      modes,
      search,
      builtInWatch,
      replies,
      runCode: code.runCode,
      admins: access.admins,
      identify: access.identify,
      keyUses: access.keyUses,
      credentials,
      health,
      fetch,
      importer: imports.importer,
      sourceChecks: imports.sourceChecks,
      lag,
      keepsContents,
      isLeaving: () => isLeaving,
      stopping: stopping.signal,
      publicUrl,
      isListening: () => isServing,
      clientAddress: createClientAddress(config.trustProxy),
      refusals: createRefusalLimit({
        perAddress: config.refusalsPerMinute,
        total: config.refusalsPerMinuteInTotal,
        now,
      }),
    };
    const app: FastifyInstance = createApp(context);
    app.server.on('connection', (connection: Socket) => {
      open.add(connection);
      connection.once('close', () => open.delete(connection));
    });

    return {
      config,
      registry,
      store,
      adminTokens: access.adminTokens,
      admins: access.admins,
      log,
      app,
      context,
      async listen() {
        await budgets.join();
        const address = await listenOn(app, config);
        begin(`http://${urlHost(config.host)}:${new URL(address).port || '80'}`);
        return listening;
      },
      async serveAt(address) {
        await budgets.join();
        await app.ready();
        // Node looks for slow clients from here on.
        app.server.emit('listening');
        begin(address);
      },
      async opening(isFirst = true) {
        // A disk that is full keeps nobody from calling: the link can be had at the next start.
        const token = isFirst ? await access.admins.makeSetupToken().catch(noSetupToken) : null;
        return {
          madeToken: access.adminTokens.made,
          // Behind `#`, so that the token never reaches a server's log.
          setupUrl: token === null ? null : `${publicUrl()}/admin/setup#${token}`,
          hasDemo: [...registry.snapshot.apis.values()].some((api) => api.builtIn),
        };
      },
      take: (connection) => void app.server.emit('connection', connection),
      leave() {
        isLeaving = true;
      },
      async close(leaveMs = 0, handOn) {
        isLeaving = true;
        if (leaveMs > 0) await delay(leaveMs);
        stopping.abort();
        try {
          const { drainMs } = config;
          // Whoever gave others the time to notice gives clients the time to use their connections once more.
          const quiet = () => untilQuiet(open, Math.min(leaveMs, mostQuietMs), drainMs / 2);
          await (app.server.listening ? drain(app, drainMs, quiet) : drainGiven(app, open, drainMs, handOn));
        } finally {
          await closeAll();
        }
      },
    };

    function noSetupToken(err: unknown): null {
      log.error(
        { err },
        'no link for the first admin account could be made; start again once the store can be written',
      );
      return null;
    }

    /** Lets commands on this data folder know that it is served, where, and how far changes of theirs have come. */
    function tellCommands(address: string): void {
      const noted = (err: unknown): void => log.error({ err }, 'commands cannot be told of this gateway');
      const telling = meta
        .set(listeningAtFact, address)
        .then(() => tellCaughtUp(meta, registry, noted))
        .catch((err: unknown) => {
          noted(err);
          return () => Promise.resolve();
        });
      onClose(async () => (await telling)());
    }

    function begin(address: string): void {
      isServing = true;
      listening = address;
      if (isEmbedded(config)) tellCommands(address);
      imports.sources.start();
      countAhead.start();
      // The first client should not wait for it, nor anybody who wants to hear that we listen: newer versions of Node
      // load modules without a turn of the event loop.
      const loading = setImmediate(() => {
        mcp.load().catch((err: unknown) => log.error({ err }, 'the mcp surface could not be loaded'));
      });
      onClose(() => clearImmediate(loading));
      const look = setTimeout(() => {
        store
          .damage('registry')
          .then((damage) => damage === null || log.error(damage))
          .catch((err: unknown) => log.error({ err }, 'the store could not be looked through for damage'));
      }, lookForDamageAfterMs).unref();
      onClose(() => clearTimeout(look));
    }
  } catch (error) {
    await closeAll().catch((err: unknown) => log.error({ err }, 'what was opened could not be closed'));
    throw error;
  }
}

/** A store whose commits the other processes of this gateway hear of at once. */
function tellingCommits<T extends Pick<Store, 'registry' | 'watch'>>(store: T, siblings: Siblings | null): T {
  if (siblings === null) return store;
  const { registry } = store;
  return {
    ...store,
    registry: {
      ...registry,
      async commit(...commit) {
        const seq = await registry.commit(...commit);
        if (seq !== null) siblings.tell('registry');
        return seq;
      },
    },
    watch(onChange) {
      siblings.on('registry', onChange);
      return store.watch(onChange);
    },
  };
}

/** Probes of which one process tells the others through the store. */
function sharedProbes(meta: Store['meta'], claimWork: ClaimWork): SharedProbes {
  return {
    areMine: (apiId, forMs) => claimWork(`probe:${apiId}`, forMs),
    tell: (apiId, failed) => meta.set(`probe:${apiId}`, String(failed)),
    told: async (apiId) => Number((await meta.get(`probe:${apiId}`)) ?? 0),
  };
}

/** The fact that tells where a gateway on this data folder listened last. */
const listeningAtFact = 'listening_at';

// Not while everything else starts.
const lookForDamageAfterMs = 3_000;
const mostQuietMs = 2_000;
const mostCatchUpMs = 2_000;

/** A store that is away makes nobody wait for long: what is known then is shown. */
async function catchUp(registry: Registry): Promise<void> {
  const over = new AbortController();
  const late = delay(mostCatchUpMs, undefined, { signal: over.signal }).catch(() => undefined);
  await Promise.race([registry.sync().catch(() => undefined), late]);
  over.abort();
}
