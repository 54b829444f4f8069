import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { type DestinationStream, pino, type Logger } from 'pino';
import { type AdminTokens, loadAdminTokens } from './access/admin-token.ts';
import { type Admins, createAdmins } from './access/admins.ts';
import { createIdentify } from './access/callers.ts';
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
import { HandrailError } from './domain/errors.ts';
import { defaultServerSlug } from './domain/server.ts';
import { createApp } from './http/app.ts';
import { createImporter } from './import/importer.ts';
import { createSourceWatcher } from './import/watch-sources.ts';
import { isLoopback } from './http/guards.ts';
import type { Serving } from './http/serving.ts';
import { conformanceFeatures } from './mcp/conformance/features.ts';
import { conformanceSlug, conformanceView } from './mcp/conformance/view.ts';
import { maskTextFor } from './lib/mask-secrets.ts';
import { sameJson } from './lib/same-json.ts';
import { createMcpHandler } from './mcp/handler.ts';
import { markUnhealthy } from './mcp/mark-unhealthy.ts';
import { createRunCall } from './pipeline/run-call.ts';
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
  readonly serving: Serving;
  /** Starts listening and returns the address. */
  listen(): Promise<string>;
  /** Stops listening, lets running calls finish within the drain time, writes what waits, closes the store. */
  close(): Promise<void>;
}

const purgeEveryMs = 3_600_000;
const noteKeyUsesEveryMs = 15_000;

/** Puts a gateway together: config → store → registry → pipeline → surfaces. The only place that picks implementations. */
export async function createGateway(config: Config, log: Logger = createLog(config)): Promise<Gateway> {
  const now = Date.now;
  const rules = servingRules(config);
  if (config.conformance && !isLoopback(config.host)) {
    throw new HandrailError(
      'config_invalid',
      'The conformance fixtures are for tests on this machine: serve them on 127.0.0.1, or leave --conformance out.',
    );
  }
  const store = await openStore(
    config.databaseUrl === undefined ? { dataDir: config.dataDir } : { databaseUrl: config.databaseUrl },
    log,
  );
  const closers: (() => Promise<void> | void)[] = [() => store.close()];
  try {
    const keys = await loadMasterKey({
      ...(config.secretKey !== undefined && { secretKey: config.secretKey }),
      dataDir: config.databaseUrl === undefined ? config.dataDir : null,
      meta: store.meta,
    });
    if (keys.warning !== null) log.warn(keys.warning);

    const registry = await Registry.load(store.registry);
    await registry.commit((snapshot) => ensureDefaultServer(snapshot, rules, { nowMs: now() }));
    if (servesDemo(config) && config.demo !== false)
      await registry.commit((snapshot) => registerDemo(snapshot, rules, { nowMs: now() }));
    refuseOpenServers(registry, rules);
    const adminTokens = await loadAdminTokens(registry, config.adminToken);
    const admins = createAdmins({ registry, store, tokens: adminTokens, now });

    const hasDemo = [...registry.snapshot.apis.values()].some((api) => api.builtIn);
    const demo = hasDemo && servesDemo(config) ? await startDemoApi() : null;
    if (demo !== null) closers.push(() => demo.close());

    const guard = createEgressGuard({
      allow: config.egressAllow,
      ...(config.httpsProxy !== undefined && { proxy: config.httpsProxy }),
    });
    const settings = () => settingsOf(registry.snapshot.settings);
    let egressOf = settings();
    guard.setOwnEntries(egressOf.egressAllow ?? []);
    registry.onChange(() => {
      if (sameJson(settings().egressAllow, egressOf.egressAllow)) return;
      egressOf = settings();
      guard.setOwnEntries(egressOf.egressAllow ?? []);
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
    const oauth = createOAuthClient(guarded.fetch, now);
    const credentials = createCredentialDesk({
      registry,
      ring: keys.ring,
      finder: () => finder,
      oauth,
      fetch: guarded.fetch,
      meta: store.meta,
      keyDir: config.databaseUrl === undefined && config.secretKey === undefined ? config.dataDir : null,
      now,
    });
    const finder = createCredentialFinder({
      credentials: () => registry.snapshot.credentials,
      ring: keys.ring,
      fetch: guarded.fetch,
      oauth,
      now,
      saveFields: credentials.saveFields,
    });
    maskLog(log, finder.allSecrets);
    const importer = createImporter({
      registry,
      fetch: guarded.fetch,
      storeCredential: (api, { fields }) => credentials.set({ api, fields }),
      now,
    });
    const sources = createSourceWatcher({
      registry,
      importer,
      now,
      onChange: (api, outcomes) =>
        log.info({ api: api.slug, apis: outcomes.length }, 'watched document changed'),
      onTrouble: (api, err) => log.warn({ api: api.slug, err }, 'watched document could not be imported'),
    });
    closers.push(() => sources.close());
    const recorder = createRecorder({
      calls: store.calls,
      rollups: store.rollups,
      keepContents: () => settings().recordContents ?? config.recordContents,
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
    const runCall = createRunCall({
      admit: createRateLimit(now),
      findCredential: finder.findCredential,
      credentialRejected: finder.credentialRejected,
      send: applyPolicies(policies, sender.send),
      storedSecrets: finder.allSecrets,
      record: (trace) => {
        recorder.record(trace);
        metrics.observe(trace);
        traces?.record(trace);
      },
      traced: traces !== null,
      now,
    });
    const viewOf = (slug: string) =>
      config.conformance && slug === conformanceSlug
        ? conformanceView(registry.snapshot.view(defaultServerSlug)!)
        : markUnhealthy(registry.snapshot.view(slug), health.unhealthy);
    const mcp = createMcpHandler({
      runCall,
      currentView: viewOf,
      fastLane: config.fastLane,
      native: (slug) => (config.conformance && slug === conformanceSlug ? conformanceFeatures : undefined),
      onRegistryChange: (listener) => {
        const stops = [registry.onChange(listener), health.onChange(listener)];
        return () => stops.forEach((stop) => stop());
      },
      log,
      version,
      sessionKey: Buffer.from(
        await store.meta.setIfAbsent('mcp_session_key', randomBytes(32).toString('base64')),
        'base64',
      ),
      now,
    });
    closers.push(() => mcp.close());

    const keyUses = createKeyUses(store.meta);
    await keyUses.sync();
    const noteKeyUses = setInterval(() => {
      keyUses.sync().catch((err: unknown) => log.error({ err }, 'uses of access keys could not be written'));
    }, noteKeyUsesEveryMs).unref();
    closers.push(async () => {
      clearInterval(noteKeyUses);
      await keyUses.sync();
    });

    let listening = `http://${urlHost(config.host)}:${config.port}`;
    const publicUrl = () => config.publicUrl ?? listening;
    const identify = createIdentify({
      snapshot: () => registry.snapshot,
      checkToken: createTokenCheck(guarded.fetch, now),
      uses: keyUses,
      publicUrl,
      now,
    });
    const serving: Serving = {
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
      health,
      importer,
      fetch: guarded.fetch,
      rules,
      log,
      version,
      now,
      publicUrl,
    };
    const app = createApp(serving);

    const stopWatching = await store.watch(() => {
      registry
        .sync()
        .catch((err: unknown) => log.error({ err }, 'changes of other processes could not be read'));
    });
    closers.push(stopWatching);
    const purgeOld = async () => {
      await purgeOldCalls(store.calls, settings().retentionDays ?? config.retentionDays, now());
      await purgeOldRollups(store.rollups, now());
    };
    const purging = setInterval(() => {
      purgeOld().catch((err: unknown) => log.error({ err }, 'old call records could not be purged'));
    }, purgeEveryMs).unref();
    closers.push(() => clearInterval(purging));

    return {
      config,
      registry,
      store,
      adminTokens,
      admins,
      log,
      app,
      serving,
      async listen() {
        const address = await listenOn(app, config);
        sources.start();
        listening = `http://${urlHost(config.host)}:${new URL(address).port || '80'}`;
        return listening;
      },
      async close() {
        await drain(app, config.drainMs);
        for (const closer of closers.toReversed()) await closer();
      },
    };
  } catch (error) {
    for (const closer of closers.toReversed()) await closer();
    throw error;
  }
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

/** Structured lines on stderr: stdout belongs to MCP in stdio mode. */
export function createLog(
  config: Pick<Config, 'logLevel'>,
  destination: DestinationStream = pino.destination({ dest: 2, sync: true }),
): Logger {
  const lines = { mask: (line: string) => line };
  const log = pino(
    { level: config.logLevel, base: null, hooks: { streamWrite: (line) => lines.mask(line) } },
    destination,
  );
  logLines.set(log, lines);
  return log;
}

// A log is made before the secrets are known that must not appear in it.
const logLines = new WeakMap<Logger, { mask: (line: string) => string }>();

function maskLog(log: Logger, secrets: () => readonly string[]): void {
  const lines = logLines.get(log);
  if (lines !== undefined) lines.mask = (line) => maskTextFor(secrets())(line);
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

async function listenOn(app: FastifyInstance, { host, port }: Config): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EADDRINUSE') {
      throw new HandrailError(
        'config_invalid',
        `Port ${port} is in use. Stop what listens there, or choose another: --port ${port + 1} (or --port 0 for any free one).`,
      );
    }
    if (code === 'EACCES')
      throw new HandrailError(
        'config_invalid',
        `Port ${port} needs more rights than this process has; choose one above 1023.`,
      );
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new HandrailError('config_invalid', `This machine has no address "${host}" to listen on.`);
    throw error;
  }
}

function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

/** New connections are refused at once; running requests have the drain time to finish. */
async function drain(app: FastifyInstance, drainMs: number): Promise<void> {
  const { server } = app;
  if (!server.listening) {
    await app.close();
    return;
  }
  await new Promise<void>((resolve) => {
    // A connection that was busy a moment ago is idle now, and would be kept alive for the next request.
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    const late = setTimeout(() => server.closeAllConnections(), drainMs);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(late);
      resolve();
    });
  });
  await app.close();
}
