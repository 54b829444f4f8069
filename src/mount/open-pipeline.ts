import { randomBytes } from 'node:crypto';
import { createAnswerCall, type AnswerCall } from '../calls/answer-call.ts';
import { createAppendContinuation, createFollowUp } from '../calls/follow-up.ts';
import { type CallMaker, createCallMaker } from '../calls/make-call.ts';
import { makeRecord } from '../calls/make-record.ts';
import { callDefaults } from '../domain/call-defaults.ts';
import type { CallRecord } from '../domain/call.ts';
import { mountErrors } from '../domain/error-messages/mount.ts';
import { newId } from '../domain/ids.ts';
import { toolNameText } from '../domain/names.ts';
import type { Server } from '../domain/server.ts';
import { kindOf, type Tool, type ToolKind } from '../domain/tool.ts';
import type { OnClose } from '../lib/close-stack.ts';
import { MemoryBudget } from '../lib/memory/memory-budget.ts';
import { fits } from '../lib/schema/problems.ts';
import { nearestNames } from '../lib/text/nearest-names.ts';
import { estimateTokens } from '../lib/text/token-bound.ts';
import type { TokenCounter } from '../listing/tokens/token-counter.ts';
import type { Call } from '../pipeline/call.ts';
import { createRunCall, type Effects } from '../pipeline/run-call.ts';
import { buildSnapshot } from '../registry/build-snapshot.ts';
import type { ServerView, Snapshot } from '../registry/snapshot.ts';
import { keptInMemory } from '../replies/kept-in-memory.ts';
import { openReplies, type Replies } from '../replies/open-replies.ts';
import { connectInProcess } from '../upstream/in-process.ts';
import { createPolicies, waiting } from '../upstream/policies/policies.ts';
import { createRateLimit } from '../upstream/policies/rate-limit.ts';
import { createSendOver } from '../upstream/send-over.ts';
import { forwardedTo, hostOf, readForward, type HostContext } from './host.ts';
import type { ImportedDocument } from './import-document.ts';
import type { HostLog } from './host-log.ts';

/** A call as the app's `fetch` sees it, next to the request. */
export interface HostCall {
  readonly tool: string;
  /** What was passed to `mcp.fetch`, `mcp.node` or `callTool` with the request behind this call. */
  readonly host: HostContext;
}

/** Answers one request of a tool: the app itself, such as `(request) => app.fetch(request)`. */
export type HostFetch = (request: Request, call: HostCall) => Response | Promise<Response>;

/** A tool, to decide about it. */
export interface ToolInfo {
  readonly name: string;
  readonly description: string;
  readonly kind: ToolKind;
  readonly tags: readonly string[];
  /** Method and path, such as `GET /books/{id}`. */
  readonly operation: string;
}

/** How tools appear: by their names, or decided for each. */
export interface ToolChanges {
  readonly rename?: Readonly<Record<string, string>> | ((tool: ToolInfo) => string | undefined);
  readonly describe?: Readonly<Record<string, string>> | ((tool: ToolInfo) => string | undefined);
  readonly hide?: readonly string[] | ((tool: ToolInfo) => boolean);
}

/** Bounds of calls and replies; each has the default of the gateway unless noted. */
export interface MountLimits {
  /** For the app to begin its answer; 30,000. */
  readonly firstByteTimeoutMs?: number;
  /** Of a whole call; 60,000. */
  readonly totalTimeoutMs?: number;
  /** Of one reply of the app; 5 MiB. */
  readonly maxReplyBytes?: number;
  /** Calls that run at the same time; 256. */
  readonly maxConcurrent?: number;
  /** Calls per minute of one caller; 0, no limit. */
  readonly callsPerMinute?: number;
  /** Tokens that a model reads of one reply; the rest is kept under a handle. 10,000; 0 for no limit. */
  readonly replyMaxTokens?: number;
  /** Tokens that the list of tools may cost before `auto` mode searches them; 10,000. */
  readonly listBudget?: number;
  /** How long the rest of a reply can be read; 3,600. */
  readonly handleSeconds?: number;
  /** Memory for all kept replies; 64 MiB here. */
  readonly handleMaxBytes?: number;
  /** Of a request to the MCP endpoint; 4 MiB. */
  readonly maxBodyBytes?: number;
}

/** What calls of tools need, wherever they come from. */
export interface PipelineOptions {
  readonly fetch: HostFetch;
  /** Headers of the client that its calls carry to the app, by name; none unless they are named here. */
  readonly forward?: readonly string[];
  readonly tools?: ToolChanges;
  readonly limits?: MountLimits;
  /** Called with the record of each call, secrets masked. */
  readonly onCall?: (record: CallRecord) => void;
  /** Whether records have the arguments and replies of calls; off by default. */
  readonly recordContents?: boolean;
}

const megabyte = 1024 * 1024;
const kept = { maxBytes: 64 * megabyte, maxFileBytes: 16 * megabyte };

/** Everything between a tool call and the app: the same steps as in the gateway, without a store or a socket. */
export interface Pipeline {
  readonly snapshot: () => Snapshot;
  readonly view: () => ServerView;
  readonly forward: readonly string[];
  readonly calls: CallMaker;
  readonly answerCall: AnswerCall;
  readonly replies: Replies;
  readonly record: (record: CallRecord) => void;
  /** Serves another version of the document. */
  replace(imported: ImportedDocument): void;
}

/** Opens the pipeline of one document. */
export function openPipeline(
  imported: ImportedDocument,
  options: PipelineOptions & {
    /** Fields of the server that its tools are listed on. */
    readonly server?: Partial<Server>;
    readonly viaHeader?: (call: Call) => string;
    readonly runScript?: Effects['runScript'];
    readonly log: HostLog;
    readonly now: () => number;
    readonly onClose: OnClose;
  },
): Pipeline {
  const { fetch, limits = {}, log, now, onClose } = options;
  const forward = readForward(options.forward ?? []);
  const memory = new MemoryBudget();
  const serverId = newId('srv', now());
  let snapshot = snapshotOf(imported, serverId, options);
  const view = (): ServerView => snapshot.view(snapshot.servers.get(serverId)!.slug)!;

  const record = (made: CallRecord): void => {
    try {
      options.onCall?.(made);
    } catch (err) {
      log.error({ err }, 'onCall failed');
    }
  };
  const recordCall: Parameters<typeof createFollowUp>[0]['record'] = (trace) => {
    if (options.onCall !== undefined) record(makeRecord(trace, options.recordContents === true));
  };
  const calls = createCallMaker({ traced: false, now });
  const replies = openReplies({
    config: {
      replyMaxTokens: limits.replyMaxTokens ?? callDefaults.replyMaxTokens,
      handleSeconds: limits.handleSeconds ?? callDefaults.handleSeconds,
      handleMaxBytes: limits.handleMaxBytes ?? kept.maxBytes,
      maxFileBytes: Math.min(kept.maxFileBytes, limits.handleMaxBytes ?? kept.maxBytes),
      fileLinkSeconds: callDefaults.fileLinkSeconds,
    },
    store: keptInMemory(),
    memory,
    counter: estimating,
    keepsContents: () => true,
    linkKey: randomBytes(32),
    // There is no route here that a link could lead to.
    base: () => null,
    fetchFile: () => Promise.reject(mountErrors.noFilesByUrl()),
    serves: (_server, toolId) => view().tools.some(({ compiled }) => compiled.tool.id === toolId),
    log: log.pino,
    now,
    onClose,
  });
  const send = createSendOver({
    now,
    memory,
    connectionsFor(origin, _request, { tool, call }) {
      const own = new URL(tool.api.baseUrl).origin;
      if (origin !== own) throw mountErrors.servedElsewhere({ origin, own }, { notSent: true });
      const made = call!;
      return connectInProcess(origin, async (request) => {
        const via = options.viaHeader?.(made);
        if (via !== undefined) request.headers.set(loopHeader, via);
        try {
          return await fetch(request, { tool: made.toolName, host: hostOf(made.caller) });
        } catch (err) {
          // The model reads that the app didn't answer; why is for the app's own log.
          if (!request.signal.aborted) log.error({ err }, `the app's fetch threw during ${made.toolName}`);
          throw err;
        }
      });
    },
  });
  const publishedView = () => view();
  const answerCall = createAnswerCall({
    run: createFollowUp({
      config: callDefaults,
      calls,
      run: createRunCall({
        admit: createRateLimit(now),
        findCredential: forwardedTo(forward),
        credentialRejected: async () => false,
        send,
        sendPolicies: createPolicies({ now }).sendPolicies,
        appendContinuation: createAppendContinuation(publishedView),
        files: replies.files,
        ...(options.runScript && { runScript: options.runScript }),
        now,
      }),
      publishedView,
      record: recordCall,
      now,
      wait: waiting(now),
    }),
    fit: replies.budget.fit,
    record: recordCall,
  });

  return {
    snapshot: () => snapshot,
    view,
    forward,
    calls,
    answerCall,
    replies,
    record,
    replace(next) {
      snapshot = snapshotOf(next, serverId, options);
    },
  };
}

/** Says through which endpoints a request already came, so that one that calls itself is stopped. */
export const loopHeader = 'handrail-via';

/** Tokens by length: the tables of a tokenizer take 100 MB, which is too much for a part of someone's app. */
export const estimating: Pick<TokenCounter, 'count' | 'countEntries'> = {
  count: async (texts) => texts.map(estimateTokens),
  // Rejected, so that the entries are estimated as they are listed.
  countEntries: () => Promise.reject(new Error('Tokens are estimated here.')),
};

function snapshotOf(
  { api, tools }: ImportedDocument,
  serverId: string,
  { limits = {}, tools: changes = {}, server }: Parameters<typeof openPipeline>[1],
): Snapshot {
  const { overrides, shown } = applyChanges(tools, changes);
  const row = { revision: 1, createdAtMs: 0, updatedAtMs: 0 };
  const { firstByteTimeoutMs, totalTimeoutMs, maxReplyBytes, maxConcurrent } = limits;
  return buildSnapshot({
    seq: 1,
    apis: [
      {
        ...api,
        limits: definedOnly({ firstByteTimeoutMs, totalTimeoutMs, maxReplyBytes, maxConcurrent }),
      },
    ],
    tools,
    servers: [
      {
        slug: api.slug,
        name: api.name,
        ...(api.description !== undefined && { description: api.description }),
        tools: shown.map(({ id }) => ({ toolId: id })),
        overrides,
        // Replies belong to their callers, and lists are not for shared caches: the app decides who gets this far.
        policy: { kind: 'key' },
        ratePerMinute: limits.callsPerMinute ?? 0,
        enabled: true,
        ...server,
        id: serverId,
        ...row,
      },
    ],
    composedTools: [],
    credentials: [],
    keys: [],
    settings: [],
    models: [],
    checks: [],
    identityProviders: [],
    apiTokens: [],
    givenNames: [],
    setAside: [],
  });
}

function definedOnly<T extends object>(values: T): { [K in keyof T]?: NonNullable<T[K]> } {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is undefined was left out
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}

/** A tool as the app's functions see it. */
export function infoOf(tool: Tool): ToolInfo {
  const { name, description, tags, operation } = tool;
  return {
    name,
    description,
    kind: kindOf(tool),
    tags,
    operation: `${operation.method} ${operation.path}`,
  };
}

/** What the app changed about its tools, checked: a name that is not there is a mistake in the app. */
function applyChanges(
  tools: readonly Tool[],
  { rename = {}, describe = {}, hide = [] }: ToolChanges,
): { readonly overrides: Server['overrides']; readonly shown: readonly Tool[] } {
  const names = tools.map(({ name }) => name);
  const known = new Set(names);
  const check = (option: string, given: readonly string[]): void => {
    for (const name of given)
      if (!known.has(name)) {
        const [nearest] = nearestNames(name, names, 1);
        const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
        throw mountErrors.unknownToolNamed({ option: `tools.${option}`, name, hint });
      }
  };
  if (typeof rename !== 'function') check('rename', Object.keys(rename));
  if (typeof describe !== 'function') check('describe', Object.keys(describe));
  if (typeof hide !== 'function') check('hide', hide);
  const hidden = typeof hide === 'function' ? hide : ({ name }: ToolInfo) => hide.includes(name);
  const pick = (from: Readonly<Record<string, string>> | ((tool: ToolInfo) => string | undefined)) =>
    typeof from === 'function'
      ? from
      : ({ name }: ToolInfo) => (Object.hasOwn(from, name) ? from[name] : undefined);
  const [nameOf, descriptionOf] = [pick(rename), pick(describe)];

  const overrides: Record<string, { name?: string; description?: string }> = {};
  const taken = new Map<string, Tool>();
  const shown = tools.filter((tool) => !hidden(infoOf(tool)));
  for (const tool of shown) {
    const info = infoOf(tool);
    const [name, description] = [nameOf(info), descriptionOf(info)];
    if (name !== undefined && !fits(toolNameText, name)) throw mountErrors.nameUnusable({ name });
    const key = (name ?? tool.name).toLowerCase();
    const other = taken.get(key);
    if (other !== undefined)
      throw mountErrors.nameTaken({
        name: name ?? tool.name,
        first: infoOf(other).operation,
        second: info.operation,
      });
    taken.set(key, tool);
    if (name !== undefined || description !== undefined)
      overrides[tool.id] = {
        ...(name !== undefined && { name }),
        ...(description !== undefined && { description }),
      };
  }
  return { overrides, shown };
}
