import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { type AdminTokens, loadAdminTokens } from './access/admin-token.ts';
import { type Admins, createAdmins } from './access/admins.ts';
import { createIdentify } from './access/callers.ts';
import { createEndedSessions } from './access/ended-sessions.ts';
import { createKeyUses } from './access/key-uses.ts';
import { createTokenCheck } from './access/oauth-tokens.ts';
import { createMetrics } from './calls/metrics.ts';
import { createTraceExporter, type TraceExporter } from './calls/trace-exporter.ts';
import { createRecorder } from './calls/recorder.ts';
import { purgeOldCalls, purgeOldRollups } from './calls/retention.ts';
import type { Config } from './config/settings.ts';
import { createCredentialDesk } from './credentials/credential-desk.ts';
import { createCredentialFinder } from './credentials/find-credential.ts';
import { loadMasterKey } from './credentials/master-key.ts';
import { createOAuthClient } from './credentials/oauth2.ts';
import { startDemoApi } from './demo/demo-api.ts';
import { registerDemo } from './demo/register-demo.ts';
import { handrailItself } from './domain/audit.ts';
import { HandrailError } from './domain/errors.ts';
import { defaultServerSlug } from './domain/server.ts';
import { createApp } from './http/app.ts';
import { createImporter, type Importer } from './import/importer.ts';
import { createSourceLooks, type SourceLooks } from './import/sources/source-looks.ts';
import { createSourceWatcher, type SourceWatcher } from './import/sources/watch-sources.ts';
import { isLoopback } from './http/guards.ts';
import { drain, listenOn, urlHost } from './http/listening.ts';
import type { AppContext } from './http/app-context.ts';
import { conformanceSlug, conformanceView } from './mcp/conformance/view.ts';
import { createLog, maskLog } from './lib/log.ts';
import { sameJson } from './lib/json/same-json.ts';
import { createMcpHandlerToLoad } from './mcp/load-handler.ts';
import { markUnhealthy } from './mcp/render/mark-unhealthy.ts';
import { createRunCall } from './pipeline/run-call.ts';
import type { CallTrace, RunCall } from './pipeline/types.ts';
import { Registry } from './registry/registry.ts';
import { settingsOf } from './registry/settings.ts';
import { ensureDefaultServer, type ServingRules } from './registry/servers.ts';
import { openStore } from './storage/open-store.ts';
import type { Store } from './storage/ports.ts';
import { createEgressGuard } from './upstream/egress.ts';
import { createFetchGuarded } from './upstream/fetch-guarded.ts';
import { createHealth } from './upstream/health.ts';
import { applyPolicies, createPolicies } from './upstream/policies.ts';
import { createRateLimit } from './upstream/rate-limit.ts';
import { createSend } from './upstream/send.ts';
import { version } from './version.ts';

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
  /** Stops listening, lets running calls finish within the drain time, writes what waits, closes the store. */
  close(): Promise<void>;
}

const purgeEveryMs = 3_600_000;
const endedSessionsEveryMs = 1_000;
const noteKeyUsesEveryMs = 15_000;

/** What was opened, to be closed in the opposite order. */
type Closers = (() => Promise<void> | void)[];

/** Puts a gateway together: config → store → registry → pipeline → surfaces. The only place that picks implementations. */
export async function createGateway(config: Config, log: Logger = createLog(config)): Promise<Gateway> {
  const now = Date.now;
  const rules = servingRules(config);
  const store = await openStore(
    config.databaseUrl === undefined ? { dataDir: config.dataDir } : { databaseUrl: config.databaseUrl },
    log,
  );
  const closers: Closers = [() => store.close()];
  try {
    const registry = await openRegistry(config, store, rules, now);
    const adminTokens = await loadAdminTokens(registry, config.adminToken);
    const admins = createAdmins({ registry, store, tokens: adminTokens, now });

    const outbound = await openOutbound(config, registry, now, closers);
    const { finder, credentials } = await openCredentials(config, store, registry, outbound, log, now);
    const looks = createSourceLooks(store.meta);
    const importer = createImporter({
      registry,
      looks,
      fetch: outbound.fetch,
      decideCredential: (snapshot, api, { fields }) => credentials.decide(snapshot, { api, fields }),
      rules,
      now,
    });
    const sources = watchSources(registry, importer, looks, log, now);
    closers.push(() => sources.close());

    const { recorder, metrics, record, traced } = openRecords(
      config,
      store,
      registry,
      outbound,
      log,
      now,
      closers,
    );
    const runCall = createRunCall({
      admit: createRateLimit(now),
      findCredential: finder.findCredential,
      credentialRejected: finder.credentialRejected,
      send: applyPolicies(outbound.policies, outbound.send),
      storedSecrets: finder.allSecrets,
      record,
      traced,
      now,
    });

    const { viewOf, mcp } = await openMcp(
      config,
      store,
      registry,
      outbound.health,
      runCall,
      log,
      now,
      closers,
    );
    closers.push(() => mcp.close());

    const keyUses = createKeyUses(store.meta);
    await keyUses.sync();
    closers.push(
      repeat(noteKeyUsesEveryMs, () => keyUses.sync(), log, 'uses of access keys could not be written'),
    );
    closers.push(() => keyUses.sync());

    let listening = `http://${urlHost(config.host)}:${config.port}`;
    const publicUrl = () => config.publicUrl ?? listening;
    const identify = createIdentify({
      snapshot: () => registry.snapshot,
      checkToken: createTokenCheck(outbound.fetch, now),
      uses: keyUses,
      publicUrl,
      now,
    });
    const stopping = new AbortController();
    stopping.signal.addEventListener('abort', () => mcp.endListening());
    const context: AppContext = {
      config,
      store,
      registry,
      recorder,
      runCall,
      mcp,
      viewOf,
      admins,
      metrics,
      identify,
      keyUses,
      credentials,
      health: outbound.health,
      importer,
      looks,
      fetch: outbound.fetch,
      rules,
      stopping: stopping.signal,
      log,
      version,
      now,
      publicUrl,
    };
    const app = createApp(context);

    const stopWatching = await store.watch(() => {
      registry
        .sync()
        .catch((err: unknown) => log.error({ err }, 'changes of other processes could not be read'));
    });
    closers.push(stopWatching);
    const purgeOld = async () => {
      const { retentionDays = config.retentionDays } = settingsOf(registry.snapshot.settings);
      await purgeOldCalls(store.calls, retentionDays, now());
      await purgeOldRollups(store.rollups, now());
    };
    closers.push(repeat(purgeEveryMs, purgeOld, log, 'old call records could not be purged'));

    return {
      config,
      registry,
      store,
      adminTokens,
      admins,
      log,
      app,
      context,
      async listen() {
        const address = await listenOn(app, config);
        sources.start();
        // The first client should not wait for it, nor anybody who wants to hear that we listen: newer versions of Node
        // load modules without a turn of the event loop.
        const loading = setImmediate(() => {
          mcp.load().catch((err: unknown) => log.error({ err }, 'the mcp surface could not be loaded'));
        });
        closers.push(() => clearImmediate(loading));
        listening = `http://${urlHost(config.host)}:${new URL(address).port || '80'}`;
        return listening;
      },
      async close() {
        stopping.abort();
        await drain(app, config.drainMs);
        for (const closer of closers.toReversed()) await closer();
      },
    };
  } catch (error) {
    for (const closer of closers.toReversed()) await closer();
    throw error;
  }
}

/** The registry, with what every installation has in it. */
async function openRegistry(
  config: Config,
  store: Store,
  rules: ServingRules,
  now: () => number,
): Promise<Registry> {
  const registry = await Registry.load(store.registry);
  await registry.commit(handrailItself, (snapshot) => ensureDefaultServer(snapshot, rules, { nowMs: now() }));
  if (servesDemo(config) && config.demo !== false) {
    await registry.commit(handrailItself, (snapshot) => registerDemo(snapshot, rules, { nowMs: now() }));
  }
  refuseOpenServers(registry, rules);
  return registry;
}

/** Everything that opens outbound connections, behind one egress guard. */
async function openOutbound(config: Config, registry: Registry, now: () => number, closers: Closers) {
  const hasDemo = [...registry.snapshot.apis.values()].some((api) => api.builtIn);
  const demo = hasDemo && servesDemo(config) ? await startDemoApi() : null;
  if (demo !== null) closers.push(() => demo.close());

  const guard = createEgressGuard({
    allow: config.egressAllow,
    ...(config.httpsProxy !== undefined && { proxy: config.httpsProxy }),
  });
  const ownEntries = () => settingsOf(registry.snapshot.settings).egressAllow ?? [];
  let entries = ownEntries();
  guard.setOwnEntries(entries);
  registry.onChange(() => {
    if (sameJson(ownEntries(), entries)) return;
    entries = ownEntries();
    guard.setOwnEntries(entries);
  });

  const sender = createSend({ guard, now, demo: () => demo?.origin ?? null });
  closers.push(() => sender.close());
  const guarded = createFetchGuarded({ guard, now });
  closers.push(() => guarded.close());
  const health = createHealth({ fetch: guarded.fetch });
  closers.push(() => health.close());
  const policies = createPolicies({ now, onCircuitChange: (apiId) => health.circuitChanged(apiId) });
  health.watch(policies.breaker);
  health.follow(registry.snapshot.apis.values());
  registry.onChange((after, before, changes) => {
    if (after.apis !== before.apis) health.follow(after.apis.values());
    // An operator who mends an API should not have to wait for its circuit.
    for (const change of changes) {
      if (change.kind !== 'api') continue;
      const apiId = change.op === 'put' ? change.entity.id : change.id;
      policies.breaker.reset(apiId);
      health.circuitChanged(apiId);
    }
  });
  return { send: sender.send, fetch: guarded.fetch, health, policies };
}

type Outbound = Awaited<ReturnType<typeof openOutbound>>;

/** The secrets for calling APIs: where they are kept, and how a call finds its own. */
async function openCredentials(
  config: Config,
  store: Store,
  registry: Registry,
  { fetch }: Outbound,
  log: Logger,
  now: () => number,
) {
  const embedded = config.databaseUrl === undefined;
  const { ring, warning } = await loadMasterKey({
    ...(config.secretKey !== undefined && { secretKey: config.secretKey }),
    dataDir: embedded ? config.dataDir : null,
    meta: store.meta,
  });
  if (warning !== null) log.warn(warning);
  const oauth = createOAuthClient(fetch, now);
  const credentials = createCredentialDesk({
    registry,
    ring,
    finder: () => finder,
    oauth,
    fetch,
    meta: store.meta,
    keyDir: embedded && config.secretKey === undefined ? config.dataDir : null,
    now,
  });
  const finder = createCredentialFinder({
    credentials: () => registry.snapshot.credentials,
    ring,
    fetch,
    oauth,
    now,
    saveFields: credentials.saveFields,
  });
  maskLog(log, finder.allSecrets);
  return { credentials, finder };
}

function watchSources(
  registry: Registry,
  importer: Importer,
  looks: SourceLooks,
  log: Logger,
  now: () => number,
): SourceWatcher {
  return createSourceWatcher({
    registry,
    importer,
    looks,
    now,
    onChange: (api, outcomes) =>
      log.info({ api: api.slug, apis: outcomes.length }, 'watched document changed'),
    onTrouble: (api, err) => log.warn({ api: api.slug, err }, 'watched document could not be imported'),
  });
}

/** Where the trace of a call goes: records, metrics and, when a collector is named, OpenTelemetry. */
function openRecords(
  config: Config,
  store: Store,
  registry: Registry,
  { health, policies }: Outbound,
  log: Logger,
  now: () => number,
  closers: Closers,
) {
  const recorder = createRecorder({
    calls: store.calls,
    rollups: store.rollups,
    keepContents: () => settingsOf(registry.snapshot.settings).recordContents ?? config.recordContents,
    onTrouble: (err, dropped) => log.error({ err, dropped }, 'call records could not be written'),
  });
  closers.push(() => recorder.close());
  const metrics = createMetrics({
    version,
    startedAtMs: now(),
    records: () => recorder,
    load: () => policies.load,
    registry: () => ({
      apis: registry.snapshot.apis.size,
      tools: registry.snapshot.tools.size,
      servers: registry.snapshot.servers.size,
    }),
    healthy: () =>
      [...registry.snapshot.apis.values()].map((api) => [api.slug, health.isHealthy(api.id)] as const),
  });
  closers.push(() => metrics.close());
  const traces = config.otlpUrl === undefined ? null : openTraces(config.otlpUrl, now, log);
  if (traces !== null) closers.push(() => traces.close());
  const record = (trace: CallTrace) => {
    recorder.record(trace);
    metrics.observe(trace);
    traces?.record(trace);
  };
  return { recorder, metrics, record, traced: traces !== null };
}

/** The MCP surface, and the servers as it shows them. */
async function openMcp(
  config: Config,
  store: Store,
  registry: Registry,
  health: Outbound['health'],
  runCall: RunCall,
  log: Logger,
  now: () => number,
  closers: Closers,
) {
  if (config.conformance && !isLoopback(config.host)) {
    throw new HandrailError(
      'config_invalid',
      'The conformance fixtures are for tests on this machine: serve them on 127.0.0.1, or leave --conformance out.',
    );
  }
  const fixtures = config.conformance ? await import('./mcp/conformance/features.ts') : null;
  const isFixture = (slug: string) => config.conformance && slug === conformanceSlug;
  const viewOf = (slug: string) =>
    isFixture(slug)
      ? conformanceView(registry.snapshot.view(defaultServerSlug)!)
      : markUnhealthy(registry.snapshot.view(slug), health.unhealthy);
  const endedSessions = createEndedSessions(store.meta, randomBytes(6).toString('base64url'), now);
  await endedSessions.load();
  closers.push(repeat(purgeEveryMs, endedSessions.load, log, 'ended sessions could not be read'));
  if (config.databaseUrl !== undefined)
    closers.push(repeat(endedSessionsEveryMs, endedSessions.sync, log, 'ended sessions could not be read'));
  const sessionKey = await store.meta.setIfAbsent('mcp_session_key', randomBytes(32).toString('base64'));
  const mcp = createMcpHandlerToLoad({
    runCall,
    currentView: viewOf,
    fastLane: config.fastLane,
    native: (slug) => (isFixture(slug) ? fixtures?.conformanceFeatures : undefined),
    onRegistryChange: (listener) => {
      const stops = [registry.onChange(listener), health.onChange(listener)];
      return () => stops.forEach((stop) => stop());
    },
    log,
    version,
    sessionKey: Buffer.from(sessionKey, 'base64'),
    endedSessions,
    now,
  });
  return { viewOf, mcp };
}

/** Does something now and then while the process lives; returns how to stop. */
function repeat(everyMs: number, work: () => Promise<void>, log: Logger, trouble: string): () => void {
  const timer = setInterval(() => {
    work().catch((err: unknown) => log.error({ err }, trouble));
  }, everyMs).unref();
  return () => clearInterval(timer);
}

/** The collector is the operator's own, and may well be on this machine: it has a guard that lets through nothing else. */
function openTraces(url: string, now: () => number, log: Logger): TraceExporter {
  const { hostname, port, protocol } = new URL(url);
  const allow = [`${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`];
  const collector = createFetchGuarded({ guard: createEgressGuard({ allow }), now });
  const exporter = createTraceExporter({
    url,
    fetch: collector.fetch,
    version,
    onTrouble: (err) => log.warn({ err }, 'traces could not be exported'),
  });
  return {
    record: exporter.record,
    async close() {
      await exporter.close();
      await collector.close();
    },
  };
}

function servingRules(config: Config): ServingRules {
  const loopback = isLoopback(config.host);
  return { defaultPolicy: { kind: loopback ? 'open' : 'key' }, openAllowed: loopback || config.allowOpen };
}

/** A demo belongs on someone's own machine; elsewhere it must be asked for. */
function servesDemo(config: Config): boolean {
  return config.demo === true || (config.databaseUrl === undefined && isLoopback(config.host));
}

function refuseOpenServers(registry: Registry, rules: ServingRules): void {
  if (rules.openAllowed) return;
  const open = [...registry.snapshot.servers.values()].filter(
    (server) => server.enabled && server.policy.kind === 'open',
  );
  if (open.length === 0) return;
  throw new HandrailError(
    'config_invalid',
    `Others can reach the address you want to listen on, but ${open.map((server) => `"${server.slug}"`).join(', ')} would let anyone call your APIs. ` +
      `Ask for access keys (handrail servers update ${open[0]!.slug} --policy key), or set HANDRAIL_ALLOW_OPEN=true if that is what you want.`,
  );
}
