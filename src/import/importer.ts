import type { Api, ApiSource, ImportSelection, ParameterRules } from '../domain/api.ts';
import type { ApiDescription, ProposedCredential } from '../domain/description.ts';
import { HandrailError, toHandrailError } from '../domain/errors.ts';
import { newId } from '../domain/ids.ts';
import { checkSlug } from '../domain/names.ts';
import type { Registry } from '../registry/registry.ts';
import { findTool } from '../registry/rules.ts';
import { dropToolReferences } from '../registry/servers.ts';
import type { Snapshot } from '../registry/snapshot.ts';
import type { FetchGuarded } from '../upstream/fetch-guarded.ts';
import { changesFor } from './changes.ts';
import { applyParameterRules } from './parameter-rules.ts';
import { parseOffThread } from './parse-off-thread.ts';
import type { ImportInput, ImportProgress, ParsedImport } from './parsed-import.ts';
import { approvePending, dismissPending, planImport, type ImportPlan } from './plan.ts';
import { lookOf, type SourceLooks } from './source-looks.ts';

/** What to import and how. */
export interface ImportRequest {
  /** Files at hand, or the address to fetch the document from. */
  readonly input: ImportInput | { readonly url: string };
  /** Slug of the API to import into; found or made from the document when absent. */
  readonly api?: string;
  readonly baseUrl?: string;
  readonly selection?: ImportSelection;
  readonly rules?: ParameterRules;
  readonly approveChanges?: boolean;
  readonly watchEveryMs?: number;
  /** Plan only. */
  readonly dryRun: boolean;
  readonly signal?: AbortSignal;
}

/** A plan, and what became of it. */
export interface ImportOutcome {
  readonly plan: ImportPlan;
  readonly applied: boolean;
  /** Whether a credential that the document carried was stored. */
  readonly credentialStored: boolean;
}

/** An import that is under way. */
export interface RunningImport {
  readonly id: string;
  readonly startedAtMs: number;
  readonly stage: 'fetching' | 'reading' | 'applying';
  readonly progress: ImportProgress;
}

/** Runs imports: fetch, read off the main thread, plan, apply in one commit. */
export interface Importer {
  run(request: ImportRequest): Promise<ImportOutcome[]>;
  /** Imports an API's document again from where it came. */
  refresh(api: Api, options: { readonly dryRun: boolean }): Promise<ImportOutcome[]>;
  /** Lets a change that waits for approval in, or turns it down. */
  decide(toolReference: string, approve: boolean): Promise<void>;
  running(): readonly RunningImport[];
}

const maxDocumentBytes = 64 * 1024 * 1024;
const fetchTimeoutMs = 60_000;

export function createImporter(options: {
  readonly registry: Registry;
  readonly fetch: FetchGuarded;
  readonly storeCredential: (api: string, credential: ProposedCredential) => Promise<unknown>;
  readonly now: () => number;
  /** Remembers when an address was last looked at, and what came of it. */
  readonly looks?: SourceLooks;
  readonly parse?: typeof parseOffThread;
}): Importer {
  const { registry, now } = options;
  const parse = options.parse ?? parseOffThread;
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
        throw new HandrailError(
          'import_unreadable',
          `${new URL(reply.url).origin} answered HTTP ${reply.status} instead of a document.`,
          { upstreamStatus: reply.status },
        );
      }
      input = {
        files: [{ name: new URL(reply.url).pathname.split('/').at(-1) || 'document', bytes: reply.body }],
        documentUrl: reply.url,
      };
    } else input = request.input;
    update({ stage: 'reading' });
    return parse(input, {
      onProgress: (progress) => update({ progress }),
      ...(request.signal && { signal: request.signal }),
    });
  }

  function plan(
    snapshot: Snapshot,
    described: ApiDescription,
    parsed: ParsedImport,
    request: ImportRequest,
  ): ImportPlan {
    const api = findTarget(snapshot, described, request);
    const description = applyParameterRules(described, request.rules ?? api?.source?.rules ?? {});
    const toolIds = api ? (snapshot.toolsByApi.get(api.id)?.values() ?? []) : [];
    const slug = api?.slug ?? request.api;
    if (slug !== undefined) checkSlug(slug, 'API');
    return planImport(
      description,
      {
        api,
        tools: [...toolIds].map((id) => snapshot.tools.get(id)!),
        isSlugTaken: (wanted) => snapshot.apiBySlug.has(wanted),
      },
      {
        documentHash: parsed.documentHash,
        nowMs: now(),
        ...(slug !== undefined && { slug }),
        ...('url' in request.input && { sourceUrl: request.input.url }),
        ...(request.baseUrl !== undefined && { baseUrl: request.baseUrl }),
        ...(request.selection && { selection: request.selection }),
        ...(request.rules && { rules: request.rules }),
        ...(request.approveChanges !== undefined && { approveChanges: request.approveChanges }),
        ...(request.watchEveryMs !== undefined && { watchEveryMs: request.watchEveryMs }),
      },
    );
  }

  async function apply(
    description: ApiDescription,
    parsed: ParsedImport,
    request: ImportRequest,
  ): Promise<ImportOutcome> {
    if (request.dryRun)
      return {
        plan: plan(registry.snapshot, description, parsed, request),
        applied: false,
        credentialStored: false,
      };
    const applied = await registry.commit((snapshot) => {
      const decided = plan(snapshot, description, parsed, request);
      const removed = new Set(decided.removed.map(({ tool }) => tool.id));
      const mentions =
        removed.size === 0 ? [] : dropToolReferences(snapshot, removed, null, { nowMs: now() });
      return { changes: [...mentions, ...changesFor(decided)], result: decided };
    });
    return {
      plan: applied,
      applied: true,
      credentialStored: await storeCredential(applied, description.kind),
    };
  }

  // A stored secret is replaced only by a document that is about secrets: HandsAI's, and only by a real value.
  async function storeCredential(decided: ImportPlan, kind: ApiSource['kind']): Promise<boolean> {
    if (!decided.proposedCredential || decided.api.auth.kind === 'none') return false;
    const hasOne = [...registry.snapshot.credentials.values()].some(
      (credential) => credential.apiId === decided.api.id && credential.callerId === undefined,
    );
    if (hasOne && kind !== 'handsai') return false;
    await options.storeCredential(decided.api.slug, decided.proposedCredential);
    return true;
  }

  const importer: Importer = {
    async run(request) {
      const id = newId('imp', now());
      let state: RunningImport = {
        id,
        startedAtMs: now(),
        stage: 'url' in request.input ? 'fetching' : 'reading',
        progress: { done: 0, total: 0 },
      };
      const update = (patch: Partial<RunningImport>): void =>
        void running.set(id, (state = { ...state, ...patch }));
      update({});
      try {
        const parsed = await read(request, update);
        if (parsed.apis.length > 1 && request.api !== undefined) {
          throw new HandrailError(
            'invalid_input',
            `The document describes ${parsed.apis.length} APIs (${parsed.apis
              .map((api) => api.wantedSlug)
              .slice(0, 5)
              .join(', ')}): import it without naming one.`,
          );
        }
        update({ stage: 'applying' });
        const outcomes: ImportOutcome[] = [];
        for (const api of parsed.apis) outcomes.push(await apply(api, parsed, request));
        return outcomes;
      } finally {
        running.delete(id);
      }
    },

    async refresh(api, { dryRun }) {
      const url = api.source?.url;
      if (url === undefined)
        throw new HandrailError(
          'invalid_input',
          `The API "${api.slug}" was not imported from an address: import its document again instead.`,
        );
      try {
        const outcomes = await importer.run({ input: { url }, api: api.slug, dryRun });
        await options.looks?.note(api.id, {
          atMs: now(),
          ...lookOf(
            outcomes.map(({ plan: made }) => made),
            dryRun,
          ),
        });
        return outcomes;
      } catch (error) {
        await options.looks?.note(api.id, {
          atMs: now(),
          result: 'failed',
          message: toHandrailError(error).message,
        });
        throw error;
      }
    },

    async decide(reference, approve) {
      await registry.commit((snapshot) => {
        const tool = findTool(snapshot, reference);
        const next = approve ? approvePending(tool, now()) : dismissPending(tool, now());
        if (!next) throw new HandrailError('conflict', `No change of "${tool.name}" waits for approval.`);
        return { changes: [{ op: 'put', kind: 'tool', entity: next }], result: undefined };
      });
    },

    running: () => [...running.values()],
  };
  return importer;
}

/** The API an import goes into: the one named, or the one that the same document made before. */
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
  // Exports name their APIs; other documents only have a title, which must have made this API to count.
  const named = description.kind === 'handsai' || description.kind === 'handrail';
  return named || known.source?.kind === description.kind ? known : null;
}
