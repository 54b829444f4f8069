import type { CallToolResult, Tool as McpTool } from '@modelcontextprotocol/server';
import type { CallMaker, ParentCall } from '../../calls/make-call.ts';
import type { Caller, ClientName, Surface } from '../../domain/call.ts';
import { mcpErrors } from '../../domain/error-messages/mcp.ts';
import { HandrailError } from '../../domain/errors.ts';
import type { ListMode } from '../../domain/server.ts';
import type { Call } from '../../pipeline/call.ts';
import type { ServerView } from '../../registry/snapshot.ts';
import { type BuiltInWatch, createBuiltInTools } from '../built-in/built-in-tools.ts';
import type { RunCode } from '../built-in/run-code.ts';
import { createScriptLookUps } from '../built-in/script-look-ups.ts';
import { createToolSearch, type ToolSearch } from '../built-in/tool-search.ts';
import { legacyRevisions } from '../context.ts';
import { chooseDialect } from '../dialects/dialects.ts';
import { type CoreDependencies, createMcpCore } from '../core/core.ts';
import { type McpRequest } from '../core/request.ts';
import { RpcFault } from '../core/rpc-fault.ts';
import type { Replies } from '../../replies/open-replies.ts';

/** A connection to a server from within the gateway. */
export interface OwnClientRequest {
  readonly view: ServerView;
  readonly mode: ListMode;
  readonly caller: Caller;
  readonly client: ClientName;
  readonly surface: Surface;
  /** The parent of its calls. */
  readonly run: ParentCall;
  /** Whether the server is an unpublished draft, so that lookups use the draft. */
  readonly isDraft: boolean;
  /** Called for every call of a tool, including those of scripts. */
  readonly onCall: (call: Call) => void;
  /** Called for the run of a script, with the ID of its record. */
  readonly onScript: (runId: string) => void;
}

/** A client of one server in this process: it sees the same tools and instructions as any other client. */
export interface OwnClient {
  /** The server's instructions. */
  readonly instructions: string | null;
  readonly tools: readonly McpTool[];
  /** Calls a tool; a rejected call is a result that says so. Rejects when `signal` is aborted. */
  call(name: string, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ModelResult>;
}

/** What the client needs in addition to what the core needs. */
export interface OwnClientDependencies extends CoreDependencies {
  readonly calls: CallMaker;
  readonly replies: Replies;
  readonly search: ToolSearch;
  readonly watch: BuiltInWatch | undefined;
  readonly runCode: RunCode | undefined;
}

/** Connects to a server and reads its tools. */
export function openOwnClient(dependencies: OwnClientDependencies, request: OwnClientRequest): OwnClient {
  const { view, mode, caller, client, surface } = request;
  const core = createMcpCore(observed(dependencies, request));
  const requestWith = (signal: AbortSignal): McpRequest => ({
    context: { view, caller, mode },
    era: 'legacy',
    revision: legacyRevisions[0],
    client,
    surface,
    // Headers from an operator's browser mean nothing to an API.
    headers: null,
    traceparent: undefined,
    signal,
    dialect: chooseDialect(undefined, view.server.dialect, client.name),
    links: true,
    listChanged: false,
    progress: null,
  });
  const opening = requestWith(new AbortController().signal);
  const { before, after } = core.ownTools(opening);
  return {
    instructions: core.introduction(opening).instructions ?? null,
    tools: [...before, ...core.shownTools(core.listedTools(opening), opening), ...after],
    async call(name, args, signal) {
      if (signal.aborted) throw canceledError();
      const call = core.methods['tools/call']({ name, arguments: args }, requestWith(signal));
      try {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the result of this method, from tools that ask the client nothing
        return modelResult((await untilAborted(call, signal)) as CallToolResult);
      } catch (error) {
        if (error instanceof RpcFault) return { text: error.message, shown: '', failed: true };
        throw error;
      }
    },
  };
}

/** Stops waiting when the signal is aborted; the work itself continues. */
function untilAborted<T>(work: T | Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(canceledError());
    signal.addEventListener('abort', onAbort, { once: true });
    Promise.resolve(work)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** The same dependencies, for calls that belong to a run and are reported to it. */
function observed(dependencies: OwnClientDependencies, request: OwnClientRequest): CoreDependencies {
  const { view, run, onCall, onScript, isDraft } = request;
  const { calls, answerCall, runCode, replies, watch } = dependencies;
  // A draft gets its own index: in the shared one its words would be mistaken for what is published.
  const search = isDraft ? createToolSearch() : dependencies.search;
  const draft = isDraft
    ? { view, lookUps: createScriptLookUps(search, replies, watch ?? { admit: () => {}, count: () => {} }) }
    : undefined;
  const runObserved: RunCode | undefined =
    runCode &&
    (async (asked) => {
      const ended = await runCode({ ...asked, parentId: run.id, onMade: onCall, ...(draft && { draft }) });
      onScript(ended.id);
      return ended;
    });
  return {
    ...dependencies,
    calls: { ...calls, make: (asked) => calls.makeWithin(run, asked) },
    answerCall: (call, forModel) => {
      onCall(call);
      return answerCall(call, forModel);
    },
    builtIn: createBuiltInTools(search, replies, watch, runObserved),
  };
}

function canceledError(): HandrailError {
  return mcpErrors.conversationStopped();
}

/** What a model reads of a result, and what is meant for its user alone. */
interface ModelResult {
  readonly text: string;
  readonly shown: string;
  readonly failed: boolean;
}

type Part = CallToolResult['content'][number];

/** A result as text, the way clients pass it to models that read nothing else. */
function modelResult({ content, isError }: CallToolResult): ModelResult {
  const isForUser = ({ annotations }: Part) =>
    annotations?.audience?.length === 1 && annotations.audience[0] === 'user';
  const words = (parts: readonly Part[]) => parts.map(wordsOf).join('\n');
  return {
    text: words(content.filter((part) => !isForUser(part))),
    shown: words(content.filter(isForUser)),
    failed: isError === true,
  };
}

function wordsOf(part: Part): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'image':
    case 'audio':
      return `[${part.type}, ${part.mimeType}]`;
    case 'resource_link':
      return `[${part.name}](${part.uri})`;
    case 'resource':
      return 'text' in part.resource
        ? part.resource.text
        : `[file, ${part.resource.mimeType ?? 'application/octet-stream'}]`;
  }
}
