import type { Api, ApiSource, DocumentOverlay, ImportSelection } from '../domain/api.ts';
import type { Actor } from '../domain/audit.ts';
import type { ApiDescription, ImportNote, ProposedCredential } from '../domain/description.ts';
import { importErrors } from '../domain/error-messages/import.ts';
import { HandrailError, toHandrailError } from '../domain/errors.ts';
import type { AuthScheme } from '../domain/auth-scheme.ts';
import { newId } from '../domain/ids.ts';
import { applyChanges } from '../registry/build-snapshot.ts';
import { slugFrom } from '../lib/text/slug.ts';
import type { Decision, Registry } from '../registry/registry.ts';
import { dropToolReferences, type ServingRules } from '../registry/rules/servers.ts';
import { setAsideError } from '../registry/set-aside.ts';
import { allToolsOf, type Snapshot } from '../registry/snapshot.ts';
import type { RegistryChange } from '../storage/ports.ts';
import type { FetchGuarded } from '../upstream/fetch-guarded.ts';
import { changesFor } from './plan/merge.ts';
import { chooseApis } from './plan/choose-apis.ts';
import { documentOrigins, originNotes } from './plan/document-origins.ts';
import { applyParameterRules, type GivenRules, mergeRules } from './plan/parameter-rules.ts';
import { parseInThread } from './reading/parse-in-thread.ts';
import type { ImportInput, ImportProgress, ParsedImport } from './reading/parsed-import.ts';
import type { DecidedTools, ImportPlan } from './plan/import-plan.ts';
import { planImport } from './plan/plan.ts';
import { planServers, type PlannedServer } from './plan/plan-servers.ts';
import { decideWaiting, forgetGone } from './plan/decide-waiting.ts';
import { checkResultOf, type SourceChecks } from './sources/source-checks.ts';

/** What to import and how. */
export interface ImportRequest {
  /** Files, or the URL to fetch the document from. */
  readonly input: ImportInput | { readonly url: string };
  /** Slug of the API to import into; if absent, it is found or derived from the document. */
  readonly api?: string;
  /** A name for the API, instead of the document's title. */
  readonly name?: string;
  readonly baseUrl?: string;
  /** Values for the variables of the document's server URL. */
  readonly variables?: Readonly<Record<string, string>>;
  /** How calls authenticate, instead of what the document proposes. */
  readonly auth?: AuthScheme;
  /** In a document with several APIs, import only the one at this host. */
  readonly host?: string;
  readonly selection?: ImportSelection;
  readonly rules?: GivenRules;
  /** Changes to the document, applied before it is read; an empty list removes stored ones. */
  readonly overlays?: readonly DocumentOverlay[];
  readonly approveChanges?: boolean;
  readonly watchEveryMs?: number;
  /** Origins that the document names for operations and that may receive the API's secrets. */
  readonly agreeOrigins?: readonly string[];
  /** Only plan, without applying. */
  readonly dryRun: boolean;
  /** An id chosen by the requester, to find the import among the running ones. */
  readonly reference?: string;
  readonly signal?: AbortSignal;
}

/** A plan and the result of applying it. */
export interface ImportOutcome {
  readonly plan: ImportPlan;
  readonly applied: boolean;
  /** Whether a credential from the document was stored. */
  readonly credentialStored: boolean;
}

/** The result of an import: one outcome for each API of the document, and its servers. */
export interface ImportRun {
  readonly outcomes: readonly ImportOutcome[];
  readonly servers: readonly PlannedServer[];
}

/** An import in progress. */
export interface RunningImport {
  readonly id: string;
  readonly reference?: string;
  readonly startedAtMs: number;
  readonly stage: 'fetching' | 'reading' | 'applying';
  readonly progress: ImportProgress;
}

/** Runs imports: fetch, read in a worker thread, plan, apply in one commit. */
export interface Importer {
  run(request: ImportRequest, actor: Actor): Promise<ImportRun>;
  /** Imports an API's document again from its URL. */
  refresh(api: Api, options: { readonly dryRun: boolean }, actor: Actor): Promise<ImportRun>;
  /** The registry as it would be after an import; nothing is written. */
  draft(request: ImportRequest): Promise<Snapshot>;
  /** Approves or rejects pending changes of these tools; all pending changes of an API without a list. */
  decide(about: DecidedTools, approve: boolean, actor: Actor): Promise<void>;
  /** Forgets tools that an API's document dropped; if they return, they are new tools. */
  forget(api: string, toolIds: readonly string[] | undefined, actor: Actor): Promise<void>;
  running(): readonly RunningImport[];
}

const maxDocumentBytes = 64 * 1024 * 1024;
const fetchTimeoutMs = 60_000;

/** Dependencies of the importer. */
export interface ImporterOptions {
  readonly registry: Registry;
  readonly fetch: FetchGuarded;
  /** Why a base URL may not be called; null if it may. */
  readonly explainRefusal?: (url: URL) => Promise<HandrailError | null>;
  /** Seals a secret and returns the changes that store it. */
  readonly decideCredential: (
    snapshot: Snapshot,
    api: string,
    credential: ProposedCredential,
  ) => Decision<unknown>;
  /** Returns the changes that allow an API's secrets to be sent to origins that its document names. */
  readonly decideOrigins: (snapshot: Snapshot, api: string, origins: readonly string[]) => Decision<Api>;
  readonly rules: ServingRules;
  /** The share of a watched API's tools that a refresh may remove without approval; 0 to 1. */
  readonly removesAtMost: number;
  readonly now: () => number;
  /** Stores when a URL was last checked, and the result. */
  readonly sourceChecks?: SourceChecks;
  readonly parse?: typeof parseInThread;
}

export function createImporter(options: ImporterOptions): Importer {
  const { registry, now } = options;
  const parse = options.parse ?? parseInThread;
  const running = new Map<string, RunningImport>();

  async function read(
    request: ImportRequest,
    update: (patch: Partial<RunningImport>) => void,
  ): Promise<ParsedImport> {
    let input: ImportInput;
    if ('url' in request.input) {
      const reply = await options.fetch({
        url: request.input.url,
        headers: { accept: 'application/json, application/yaml, text/yaml, */*;q=0.5' },
        maxReplyBytes: maxDocumentBytes,
        timeoutMs: fetchTimeoutMs,
        maxRedirects: 5,
        ...(request.signal && { signal: request.signal }),
      });
      if (reply.status !== 200) {
        throw importErrors.notADocument(
          { origin: new URL(reply.url).origin, status: reply.status },
          { upstreamStatus: reply.status },
        );
      }
      input = {
        files: [{ name: new URL(reply.url).pathname.split('/').at(-1) || 'document', content: reply.body }],
        documentUrl: reply.url,
      };
    } else input = request.input;
    update({ stage: 'reading' });
    return parse(
      { ...input, ...overlaysFor(registry.snapshot, request) },
      {
        onProgress: (progress) => update({ progress }),
        ...(request.signal && { signal: request.signal }),
      },
    );
  }

  function planApi(
    snapshot: Snapshot,
    described: ApiDescription,
    parsed: ParsedImport,
    request: ImportRequest,
  ): Promise<Omit<ImportPlan, 'origins'>> {
    const api = findTarget(snapshot, described, request);
    const rules = mergeRules(api?.source?.rules, request.rules);
    const description = applyParameterRules(described, rules);
    const slug = api?.slug ?? request.api;
    if (slug === undefined) requireReadable(snapshot, description);
    return planImport(
      description,
      {
        api,
        tools: api ? allToolsOf(snapshot, api.id) : [],
        isSlugTaken: (wanted) => snapshot.apiBySlug.has(wanted),
        isNameHeld: (name) => api !== null && snapshot.setAside.toolNamed(api.id, name) !== undefined,
      },
      {
        documentHash: parsed.documentHash,
        nowMs: now(),
        removesAtMost: options.removesAtMost,
        ...(slug !== undefined && { slug }),
        ...('url' in request.input && { sourceUrl: request.input.url }),
        ...(request.name !== undefined && { name: request.name }),
        ...(request.baseUrl !== undefined && { baseUrl: request.baseUrl }),
        ...(request.variables && { variables: request.variables }),
        ...(request.auth && { auth: request.auth }),
        ...(request.selection && { selection: request.selection }),
        ...(request.rules && { rules }),
        ...(request.overlays && { overlays: request.overlays }),
        ...(request.approveChanges !== undefined && { approveChanges: request.approveChanges }),
        ...(request.watchEveryMs !== undefined && { watchEveryMs: request.watchEveryMs }),
      },
    );
  }

  /** All changes for a document, as one decision. Each part sees the registry as the earlier parts leave it. */
  async function decide(
    snapshot: Snapshot,
    parsed: ParsedImport,
    request: ImportRequest,
  ): Promise<Decision<ImportRun>> {
    const changes: RegistryChange[] = [];
    const outcomes: ImportOutcome[] = [];
    let draft = { snapshot, at: 0 };
    const latest = (): Snapshot => {
      const { length } = changes;
      if (draft.at < length)
        draft = {
          snapshot: applyChanges(draft.snapshot, changes.slice(draft.at), snapshot.seq),
          at: length,
        };
      return draft.snapshot;
    };
    for (const description of parsed.apis) {
      const plan = await planApi(latest(), description, parsed, request);
      const forgotten = new Set(plan.forgotten.map(({ id }) => id));
      if (forgotten.size > 0)
        changes.push(...dropToolReferences(latest(), forgotten, null, { nowMs: now() }));
      changes.push(...changesFor(plan));
      const credential = decideCredential(latest, plan, description.kind);
      changes.push(...credential.changes);
      if (request.agreeOrigins?.length)
        changes.push(...options.decideOrigins(latest(), plan.api.id, request.agreeOrigins).changes);
      const origins = documentOrigins(latest(), latest().apis.get(plan.api.id) ?? plan.api);
      outcomes.push({
        plan: {
          ...plan,
          origins,
          notes: [...plan.notes, ...credential.notes, ...originNotes(plan.api, origins)],
        },
        applied: !request.dryRun,
        credentialStored: !request.dryRun && credential.changes.length > 0,
      });
    }
    if (!parsed.servers?.length) return { changes, result: { outcomes, servers: [] }, isImport: true };
    const servers = planServers(latest(), parsed.servers, options.rules, { nowMs: now() });
    return {
      changes: [...changes, ...servers.changes],
      result: { outcomes, servers: servers.result },
      isImport: true,
    };
  }

  // Only HandsAI's export, which contains credentials, may replace a stored secret, and only with a real value.
  function decideCredential(
    latest: () => Snapshot,
    plan: Pick<ImportPlan, 'api' | 'proposedCredential'>,
    kind: ApiSource['kind'],
  ): { readonly changes: readonly RegistryChange[]; readonly notes: readonly ImportNote[] } {
    const { api, proposedCredential } = plan;
    if (!proposedCredential || api.auth.kind === 'none') return { changes: [], notes: [] };
    const snapshot = latest();
    const hasOne = [...snapshot.credentials.values()].some(
      (credential) => credential.apiId === api.id && credential.callerId === undefined,
    );
    if (hasOne && kind !== 'handsai') return { changes: [], notes: [] };
    try {
      return { ...options.decideCredential(snapshot, api.slug, proposedCredential), notes: [] };
    } catch (error) {
      if (!(error instanceof HandrailError)) throw error;
      const message = `The secret in the document was not stored: ${error.message}`;
      return { changes: [], notes: [{ code: 'credential_not_stored', message }] };
    }
  }

  /** Notes that calls would be refused, which otherwise only the first call would say. */
  async function withAddressNote(outcome: ImportOutcome): Promise<ImportOutcome> {
    const { api } = outcome.plan;
    if (api.baseUrl === '' || options.explainRefusal === undefined) return outcome;
    const refusal = await options.explainRefusal(new URL(api.baseUrl));
    if (refusal === null) return outcome;
    const note: ImportNote = { code: 'base_url_refused', message: refusal.message, at: '/servers' };
    return { ...outcome, plan: { ...outcome.plan, notes: [note, ...outcome.plan.notes] } };
  }

  const importer: Importer = {
    async run(request, actor) {
      const id = newId('imp', now());
      let state: RunningImport = {
        id,
        ...(request.reference !== undefined && { reference: request.reference }),
        startedAtMs: now(),
        stage: 'url' in request.input ? 'fetching' : 'reading',
        progress: { done: 0, total: 0 },
      };
      const update = (patch: Partial<RunningImport>): void =>
        void running.set(id, (state = { ...state, ...patch }));
      update({});
      try {
        const whole = await read(request, update);
        const parsed = { ...whole, apis: chooseApis(whole.apis, request) };
        request.signal?.throwIfAborted();
        update({ stage: 'applying' });
        const run = request.dryRun
          ? await registry.rehearse((snapshot) => decide(snapshot, parsed, request))
          : await registry.commit(actor, (snapshot) => decide(snapshot, parsed, request));
        return { ...run, outcomes: await Promise.all(run.outcomes.map(withAddressNote)) };
      } finally {
        running.delete(id);
      }
    },

    async draft(request) {
      const whole = await read(request, () => {});
      const parsed = { ...whole, apis: chooseApis(whole.apis, request) };
      return registry.rehearse(async (snapshot) => {
        const { changes } = await decide(snapshot, parsed, request);
        return { changes, result: applyChanges(snapshot, changes, snapshot.seq) };
      });
    },

    async refresh(api, { dryRun }, actor) {
      const url = api.source?.url;
      if (url === undefined) throw importErrors.notFromAddress({ slug: api.slug });
      try {
        const run = await importer.run({ input: { url }, api: api.slug, dryRun }, actor);
        const plans = run.outcomes.map(({ plan }) => plan);
        await options.sourceChecks?.note(api.id, { atMs: now(), ...checkResultOf(plans, dryRun) });
        return run;
      } catch (error) {
        await options.sourceChecks?.note(api.id, {
          atMs: now(),
          result: 'failed',
          message: toHandrailError(error).message,
        });
        throw error;
      }
    },

    async decide(about, approve, actor) {
      await registry.commit(actor, (snapshot) => decideWaiting(snapshot, about, approve, now()));
    },

    async forget(api, toolIds, actor) {
      await registry.commit(actor, (snapshot) => forgetGone(snapshot, api, toolIds, now()));
    },

    running: () => [...running.values()],
  };
  return importer;
}

/** The overlays of a document: those given, else those of the API it belongs to. */
function overlaysFor(
  snapshot: Snapshot,
  { overlays, api, input }: ImportRequest,
): Pick<ImportInput, 'overlays' | 'keptOverlays'> {
  if (overlays !== undefined) return { overlays };
  const isTarget = (one: Api): boolean =>
    api === undefined ? 'url' in input && one.source?.url === input.url : one.id === api || one.slug === api;
  const kept = [...snapshot.apis.values()].filter(({ source }) => source?.overlays !== undefined);
  const target = kept.find(isTarget);
  if (target) return { overlays: target.source!.overlays! };
  if (api !== undefined || kept.length === 0) return {};
  return { keptOverlays: Object.fromEntries(kept.map(({ slug, source }) => [slug, source!.overlays!])) };
}

/** Throws if the document's slug belongs to an unreadable row: the API must not be created again under another slug. */
function requireReadable({ setAside }: Snapshot, { wantedSlug }: ApiDescription): void {
  const unread = setAside.bySlug('api', slugFrom(wantedSlug));
  if (unread !== undefined)
    throw setAsideError(`The slug "${slugFrom(wantedSlug)}" is taken`, unread, '/api');
}

/** The API to import into: the one named, or the one that the same document created before. */
function findTarget(snapshot: Snapshot, description: ApiDescription, request: ImportRequest): Api | null {
  if (request.api !== undefined)
    return snapshot.apis.get(request.api) ?? snapshot.apiBySlug.get(request.api) ?? null;
  if ('url' in request.input) {
    const { url } = request.input;
    const same = [...snapshot.apis.values()].find((api) => api.source?.url === url);
    if (same) return same;
  }
  const known = snapshot.apiBySlug.get(description.wantedSlug);
  if (!known || known.builtIn) return null;
  // Exports name their APIs. Other documents only have a title, which counts only if it created this API.
  const named = description.kind === 'handsai' || description.kind === 'handrail';
  return named || known.source?.kind === description.kind ? known : null;
}
