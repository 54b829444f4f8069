import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { AdminTokens } from './access/admin-token.ts';
import { openPeople } from './access/people.ts';
import { withPseudonyms } from './access/pseudonyms.ts';
import type { SignIn } from './access/sign-in.ts';
import { endedCallers } from './access/ended-callers.ts';
import { openAccess } from './access/open-access.ts';
import { createRefusalLimit } from './access/refusal-limit.ts';
import { stepUp } from './access/tokens/step-up.ts';
import { createSigningKeys } from './authorization/signing-keys.ts';
import { openAuthorization } from './authorization/open-authorization.ts';
import { openBudgets } from './budgets/open-budgets.ts';
import type { BudgetCoordinator } from './budgets/shared-budgets.ts';
import { createAnswerCall } from './calls/answer-call.ts';
import { createFollowUp, createAppendContinuation } from './calls/follow-up.ts';
import { openCalls, type SharedCalls } from './calls/open-calls.ts';
import type { CodeRuns } from './code/code-runs.ts';
import { openCode } from './code/open-code.ts';
import type { Config } from './config/settings.ts';
import { isEmbedded, storeLocation } from './config/store-location.ts';
import { createCallerIdentities } from './credentials/caller-identity.ts';
import { openCredentials, openKeyRing } from './credentials/open-credentials.ts';
import { createByteSealing, createSealing } from './credentials/seal.ts';
import { createSealedFields } from './credentials/sealed-fields.ts';
import { sealPlainSecrets, sealRegistry } from './credentials/sealed-registry.ts';
import { openDemo } from './demo/open-demo.ts';
import type { AppContext } from './http/app-context.ts';
import { createApp } from './http/app.ts';
import { createClientAddress } from './http/client-address.ts';
import { createProcessLife, type ProcessLife } from './http/connections/process-life.ts';
import { openImportJobs } from './import/jobs/import-jobs.ts';
import { openImport } from './import/open-import.ts';
import { createCloseStack, type OnClose } from './lib/close-stack.ts';
import { createLog } from './lib/log.ts';
import { countAnswersOf } from './lib/memory/hold-while-sending.ts';
import { MemoryBudget } from './lib/memory/memory-budget.ts';
import { releaseWhenIdle } from './lib/memory/release-when-idle.ts';
import type { Siblings } from './lib/siblings.ts';
import { createTokenCounter } from './listing/tokens/token-counter.ts';
import { createScriptLookUps } from './mcp/built-in/script-look-ups.ts';
import type { NativeFeatures } from './mcp/native.ts';
import { openDiscovery } from './mcp/open-discovery.ts';
import { openMcp } from './mcp/open-mcp.ts';
import { createRunCall } from './pipeline/run-call.ts';
import { publishProgress } from './registry/progress.ts';
import { catchUp, openRegistry, registeredApis, servingRules } from './registry/open-registry.ts';
import type { Registry } from './registry/registry.ts';
import { openReplies } from './replies/open-replies.ts';
import { type ClaimWork, createClaims } from './storage/claim-work.ts';
import { countLeases } from './storage/counted-leases.ts';
import { openStore } from './storage/open-store.ts';
import type { MetaStore, Store } from './storage/ports.ts';
import { createFetchFile } from './upstream/fetch-file.ts';
import type { SharedProbes } from './upstream/health.ts';
import { openUpstream } from './upstream/open-upstream.ts';
import { waiting } from './upstream/policies/policies.ts';
import { createRateLimit } from './upstream/policies/rate-limit.ts';
import { version } from './version.ts';

/** What the command that starts a gateway shows. */
export interface Opening {
  /** The admin token, if it was created just now. */
  readonly madeToken: string | null;
  /** Where to create the first owner's account; null once there is one. */
  readonly setupUrl: string | null;
  readonly hasDemo: boolean;
}

/** A gateway that is put together but does not listen yet. */
export interface Gateway extends Pick<ProcessLife, 'listen' | 'serveAt' | 'take' | 'leave'> {
  readonly config: Config;
  readonly registry: Registry;
  readonly store: Store;
  readonly adminTokens: AdminTokens;
  readonly signIn: SignIn;
  readonly log: Logger;
  /** The HTTP surface; commands use it in process through `inject`. */
  readonly app: FastifyInstance;
  readonly context: AppContext;
  /** What to show once it serves; only the first of several workers creates a link for the first admin. */
  opening(isFirst?: boolean): Promise<Opening>;
  /** Stops serving (`ProcessLife.stop`), writes what is pending and closes the store. */
  close(leaveMs?: number, passOn?: (connection: Socket) => void): Promise<void>;
}

/** What a program that embeds a gateway can add to it. */
export interface GatewayOptions {
  /** Where log lines go; stderr by default. */
  readonly log?: Logger;
  /** Tools, prompts and resources that are code, by the slug of the server that lists them next to its own. */
  readonly nativeFeatures?: (slug: string) => NativeFeatures | undefined;
  /** What a worker shares with the process that started it and with the other workers. */
  readonly workers?: SharedCalls & { readonly budgets: BudgetCoordinator };
}

/** Puts a gateway together, module by module. The only file that picks implementations. */
export async function createGateway(config: Config, options: GatewayOptions = {}): Promise<Gateway> {
  const { onClose, closeAll } = createCloseStack();
  const { log = createLog(config) } = options;
  const life = createProcessLife(config);
  try {
    const modules = await openModules({ config, version, log, now: Date.now, onClose }, life, options);
    const { context, adminTokens } = modules;
    const { registry, signIn, store } = context;
    const app = createApp(context);
    countAnswersOf(app.server, modules.memory);
    life.attach(app, {
      beforeServing: modules.beforeServing,
      onServing(address) {
        modules.onServing(address);
        onClose(
          releaseWhenIdle(app.server, (err) => log.error({ err }, 'idle memory could not be released')),
        );
      },
    });

    return {
      config,
      registry,
      store,
      adminTokens,
      signIn,
      log,
      app,
      context,
      listen: life.listen,
      serveAt: life.serveAt,
      take: life.take,
      leave: life.leave,
      async opening(isFirst = true) {
        // A full disk must not keep the gateway from serving: the next start creates the link.
        const token = isFirst ? await signIn.makeSetupToken().catch(noSetupToken) : null;
        return {
          madeToken: adminTokens.made,
          // After `#`, so that the token never reaches a server's log.
          setupUrl: token === null ? null : `${life.publicUrl()}/admin/setup#${token}`,
          hasDemo: [...registry.snapshot.apis.values()].some((api) => api.builtIn),
        };
      },
      async close(leaveMs, passOn) {
        try {
          await life.stop(leaveMs, passOn);
        } finally {
          await closeAll();
        }
      },
    };
  } catch (error) {
    await closeAll().catch((err: unknown) => log.error({ err }, 'what was opened could not be closed'));
    throw error;
  }

  function noSetupToken(err: unknown): null {
    log.error(
      { err },
      'the link for the first admin account could not be created; restart once the store is writable',
    );
    return null;
  }
}

interface Base {
  readonly config: Config;
  readonly version: string;
  readonly log: Logger;
  readonly now: () => number;
  readonly onClose: OnClose;
}

/** Opens one module after the other, each with what it uses. */
async function openModules(base: Base, life: ProcessLife, { nativeFeatures, workers }: GatewayOptions) {
  const { config, log, now, onClose } = base;
  const { publicUrl } = life;
  const rules = servingRules(config);
  const memory = new MemoryBudget(config.maxBytesUnderWay);
  const siblings = workers?.siblings ?? null;

  const store = await openStore(storeLocation(config), log);
  onClose(() => store.close());
  const { meta } = store;
  const leases = countLeases(store.leases);
  // A command that opens the data folder of a running gateway uses that gateway's address. A database is shared.
  if (isEmbedded(config)) life.assumeAddress(await meta.get(listeningAtFact));

  const ring = await openKeyRing({ ...base, meta });
  const rows = sealRegistry(store.registry, createSealedFields(ring));
  const people = await openPeople({ store: store.people, maxLagMs: config.maxRegistryLagMs, now });
  const { registry, lag } = await openRegistry({
    ...base,
    alongside: people,
    store: notifySiblings({ ...store, registry: rows }, siblings),
    rules,
  });
  await sealPlainSecrets({ ...base, registry, rows });
  const demoOrigin = await openDemo({ ...base, registry, rules });

  // On PostgreSQL there can be other instances at any time.
  const hasOthers = store.kind === 'postgres' || siblings !== null;
  const claimWork = createClaims(leases, hasOthers);
  const budgets = await openBudgets({
    ...base,
    redisUrl: config.budgetsUrl,
    store,
    parent: workers?.budgets ?? null,
  });
  const upstream = openUpstream({
    ...base,
    memory,
    apis: registeredApis(registry),
    demoOrigin,
    budgets: budgets.shared,
    probes: hasOthers ? sharedProbes(meta, claimWork) : null,
    hints: store.hints ?? siblings,
  });
  const { fetch, health } = upstream;
  const signingKeys = createSigningKeys({ ring, meta, leases, now });
  const {
    actions: credentials,
    finder,
    accounts,
    renewals,
  } = await openCredentials({
    ...base,
    ring,
    meta,
    leases,
    accounts: store.accounts,
    identities: createCallerIdentities({
      signingKey: () => signingKeys.signingKey(),
      readPerson: (id) => people.read(id),
      groupName: (id) => people.groups().find((group) => group.id === id)?.name,
      peopleSeq: () => people.seq(),
      issuer: publicUrl,
      now,
    }),
    isActive: async (id) => (await people.personAtVersion(id)) !== null,
    publicUrl,
    registry,
    lag,
    fetch,
  });
  const { clientSecretOf, providerSecretOf } = credentials;
  const access = await openAccess({
    ...base,
    store,
    registry,
    people,
    fetch,
    clientSecretOf,
    providerSecretOf,
    sealing: createSealing(ring),
    publicUrl,
  });
  const authorization = openAuthorization({
    ...base,
    signingKeys,
    store,
    registry,
    fetchPublic: upstream.fetchPublic,
    granted: access.granted,
    people,
    publicUrl,
  });
  const imports = openImport({
    ...base,
    meta,
    registry,
    fetch,
    explainRefusal: upstream.explainRefusal,
    rules,
    claimWork,
    decideCredential: (snapshot, api, { fields }) => credentials.decide(snapshot, { api, fields }),
    decideOrigins: (snapshot, api, origins) => credentials.decideOrigins(snapshot, api, origins, true),
  });

  const calling = openCalls({
    ...base,
    memory,
    store,
    registry,
    lag,
    upstream,
    claimWork,
    budgets: budgets.counts,
    counted: { renewals: () => renewals.counts, leases: () => leases.counts },
    shared: workers ?? null,
    storedSecrets: finder.allSecrets,
  });
  const { calls, recorder, metrics, record, begun, keepsContents } = calling;
  const counter = createTokenCounter();
  onClose(() => counter.close());
  const linkKey = await meta.setIfAbsent('file_link_key', randomBytes(32).toString('base64'));
  const publishedView = (slug: string) => registry.snapshot.view(slug);
  const replies = openReplies({
    ...base,
    memory,
    store: store.keptReplies,
    counter,
    keepsContents,
    linkKey: Buffer.from(linkKey, 'base64'),
    base: () => (config.publicUrl !== undefined || life.isServing() ? publicUrl() : null),
    fetchFile: createFetchFile(fetch, now),
    serves: (server, toolId) =>
      publishedView(server.slug)?.tools.some(({ compiled }) => compiled.tool.id === toolId) === true,
  });
  metrics.watch({ replies: replies.counts });
  registry.onChange((after, before, changes) => {
    for (const callerId of endedCallers(after, before, changes))
      replies.kept
        .removeAllOf(callerId)
        .catch((err: unknown) => log.error({ err }, "an ended caller's kept replies could not be removed"));
  });

  const runCall = createRunCall({
    admit: createRateLimit(now, budgets.shared),
    findCredential: finder.findCredential,
    credentialRejected: finder.credentialRejected,
    send: upstream.send,
    sendPolicies: upstream.sendPolicies,
    storedSecrets: finder.allSecrets,
    appendContinuation: createAppendContinuation(publishedView),
    files: replies.files,
    // The one circle: a call can run a saved script, which makes calls.
    runScript: (call, script, args) => code.runSaved(call, script, args),
    ...(begun !== null && { begun }),
    countPii: metrics.countPii,
    now,
  });
  const answerCall = createAnswerCall({
    run: createFollowUp({
      ...base,
      calls,
      run: runCall,
      publishedView,
      record,
      countPii: metrics.countPii,
      ...(begun !== null && { begun }),
      wait: waiting(now),
    }),
    fit: replies.budget.fit,
    record,
  });

  const discovery = await openDiscovery({
    ...base,
    meta,
    registry,
    budgets: budgets.shared,
    health,
    metrics,
    fetch,
    counter,
  });
  const code: CodeRuns = openCode({
    ...base,
    calls,
    answerCall,
    budget: replies.budget,
    lookUps: createScriptLookUps(discovery.search, replies, discovery.builtInWatch),
    listedView: discovery.listedView,
    recorder,
    journalStore: store.scriptJournal,
    keepsContents,
  });
  const mcp = await openMcp({
    ...base,
    meta,
    registry,
    siblings,
    health,
    granted: access.granted,
    metrics,
    calls,
    answerCall,
    stepUp: (server, caller, tool) => stepUp(server, caller, tool, publicUrl()),
    discovery,
    runCode: code.run,
    replies,
    nativeFeatures,
    publicUrl,
  });
  life.stopping.addEventListener('abort', () => mcp.endListening());

  const importJobs = openImportJobs({
    ...base,
    store: store.importJobs,
    importer: imports.importer,
    sealing: createByteSealing(ring),
    // Loaded on first use, like the rest of the admin API.
    present: async (run) => (await import('./http/admin/view-import.ts')).viewImport(context, run),
  });

  const context: AppContext = {
    ...base,
    ...life.state,
    store: withPseudonyms(store),
    registry,
    lag,
    rules,
    catchUp: siblings === null ? async () => {} : () => catchUp(registry),
    ...access,
    clientAddress: createClientAddress(config.trustProxy),
    refusals: createRefusalLimit({
      perAddress: config.refusalsPerMinute,
      total: config.refusalsPerMinuteInTotal,
      now,
    }),
    ...calling,
    importJobs,
    answerCall,
    replies,
    ...discovery,
    runCode: code.run,
    mcp,
    credentials,
    accounts,
    authorization,
    health,
    fetch,
    ...imports,
  };

  /** Starts what runs in the background of a gateway that serves. */
  function onServing(address: string): void {
    if (isEmbedded(config)) showToCommands(address, { ...base, meta, registry });
    imports.sources.start();
    calling.auditPush.start();
    discovery.countAhead.start();
    importJobs.continueLeft();
    // Loaded after the gateway listens: newer versions of Node load modules without yielding to the event loop.
    const loading = setImmediate(() => {
      mcp.load().catch((err: unknown) => log.error({ err }, 'the MCP surface could not be loaded'));
    });
    onClose(() => clearImmediate(loading));
    const look = setTimeout(() => {
      store
        .damage('registry')
        .then((damage) => damage === null || log.error(damage))
        .catch((err: unknown) => log.error({ err }, 'the store could not be checked for damage'));
    }, checkForDamageAfterMs).unref();
    onClose(() => clearTimeout(look));
  }

  return { context, adminTokens: access.adminTokens, memory, beforeServing: budgets.join, onServing };
}

// Not while everything else starts.
const checkForDamageAfterMs = 3_000;

/** Where a gateway on this data folder listened last. */
const listeningAtFact = 'listening_at';

/** Lets commands on this data folder know where it is served, and which changes the gateway has seen. */
function showToCommands(
  address: string,
  {
    meta,
    registry,
    log,
    onClose,
  }: Pick<Base, 'log' | 'onClose'> & { readonly meta: MetaStore; readonly registry: Registry },
): void {
  const onTrouble = (err: unknown): void => log.error({ err }, 'commands cannot find this gateway');
  const shown = meta
    .set(listeningAtFact, address)
    .then(() => publishProgress(meta, registry, onTrouble))
    .catch((err: unknown) => {
      onTrouble(err);
      return () => Promise.resolve();
    });
  onClose(async () => (await shown)());
}

/** A store that notifies the other processes of this gateway of every commit. */
function notifySiblings<T extends Pick<Store, 'registry' | 'watch'>>(store: T, siblings: Siblings | null): T {
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

/** Probes made by one process, whose results the others read from the store. */
function sharedProbes(meta: Store['meta'], claimWork: ClaimWork): SharedProbes {
  return {
    areMine: (apiId, forMs) => claimWork(`probe:${apiId}`, forMs),
    publish: (apiId, failed) => meta.set(`probe:${apiId}`, String(failed)),
    published: async (apiId) => Number((await meta.get(`probe:${apiId}`)) ?? 0),
  };
}
