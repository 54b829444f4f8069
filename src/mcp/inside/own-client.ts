import type {
  CallToolResult,
  JSONRPCMessage,
  MessageExtraInfo,
  Tool as McpTool,
  Transport,
} from '@modelcontextprotocol/server';
import type { ParentCall } from '../../calls/make-call.ts';
import type { Caller, ClientName, Surface } from '../../domain/call.ts';
import { HandrailError } from '../../domain/errors.ts';
import type { ListMode } from '../../domain/server.ts';
import { isObject, objectOr, textOr } from '../../lib/json/plain-object.ts';
import type { Call } from '../../pipeline/types.ts';
import type { ServerView } from '../../registry/snapshot.ts';
import { type BuiltInWatch, createBuiltInTools } from '../built-in/built-in-tools.ts';
import type { RunCode } from '../built-in/run-code.ts';
import { createScriptLookUps } from '../built-in/script-look-ups.ts';
import { createToolSearch, type ToolSearch } from '../built-in/tool-search.ts';
import { legacyRevisions } from '../context.ts';
import { chooseDialect } from '../dialects/dialects.ts';
import { buildServer, type SdkDependencies } from '../sdk/sdk-server.ts';
import { type ToldResult, toldResult } from './told-result.ts';

/** A connection to a server from within the gateway. */
export interface OwnClientRequest {
  readonly view: ServerView;
  readonly mode: ListMode;
  readonly caller: Caller;
  readonly client: ClientName;
  readonly surface: Surface;
  /** What its calls belong to. */
  readonly run: ParentCall;
  /** Whether the server is one that is not published: what is looked up is looked up there. */
  readonly isDraft: boolean;
  /** Hears of every call of a tool, those of scripts included. */
  readonly onCall: (call: Call) => void;
  /** Hears of the run of a script, by the id of its record. */
  readonly onScript: (runId: string) => void;
}

/** A client of one server in this process: it is listed the same tools, and told the same, as any other. */
export interface OwnClient {
  /** What the server says about itself. */
  readonly instructions: string | null;
  readonly tools: readonly McpTool[];
  /** Calls a tool; what is refused is a result that says so. Rejects when `signal` is aborted. */
  call(name: string, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ToldResult>;
  close(): Promise<void>;
}

/** What the client needs beside what every protocol object does. */
export interface OwnClientDependencies extends SdkDependencies {
  readonly search: ToolSearch;
  readonly watch: BuiltInWatch | undefined;
  readonly runCode: RunCode | undefined;
}

/** Connects to a server, and learns what it lists. */
export async function openOwnClient(
  dependencies: OwnClientDependencies,
  request: OwnClientRequest,
): Promise<OwnClient> {
  const { view, mode, caller, client, surface } = request;
  const server = buildServer(observed(dependencies, request), {
    context: { view, caller, mode },
    era: 'legacy',
    // Headers that an operator's browser sent mean nothing to an API.
    side: { client, surface, headers: null },
    listChanged: false,
    streams: false,
    dialect: (one) => chooseDialect(undefined, view.server.dialect, one?.name),
    revision: legacyRevisions[0],
  });
  const wire = new Wire();
  await server.connect(wire);
  const opened = await wire.ask('initialize', {
    protocolVersion: legacyRevisions[0],
    capabilities: {},
    clientInfo: { version: dependencies.version, ...client },
  });
  wire.tell('notifications/initialized');
  const tools: McpTool[] = [];
  let cursor: string | undefined;
  do {
    const page = await wire.ask('tools/list', cursor === undefined ? {} : { cursor });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own server answers
    tools.push(...((page['tools'] ?? []) as McpTool[]));
    cursor = textOr(page['nextCursor']);
  } while (cursor !== undefined);
  return {
    instructions: textOr(opened['instructions']) ?? null,
    tools,
    async call(name, args, signal) {
      try {
        const result = await wire.ask('tools/call', { name, arguments: args }, signal);
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own server answers
        return toldResult(result as CallToolResult);
      } catch (error) {
        if (error instanceof Refused) return { text: error.message, shown: '', failed: true };
        throw error;
      }
    },
    close: () => server.close(),
  };
}

/** The same parts, for calls that belong to a run and that somebody hears of. */
function observed(dependencies: OwnClientDependencies, request: OwnClientRequest): SdkDependencies {
  const { view, run, onCall, onScript, isDraft } = request;
  const { calls, runCall, runCode, replies, watch } = dependencies;
  // A draft is read into an index of its own: in that of all servers its words would stand for what is published.
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
    runCall: (call) => {
      onCall(call);
      return runCall(call);
    },
    builtIn: createBuiltInTools(search, replies, watch, runObserved),
  };
}

/** What the protocol object answered with an error. */
class Refused extends Error {
  override readonly name = 'Refused';
}

interface Waiting {
  readonly resolve: (result: Readonly<Record<string, unknown>>) => void;
  readonly reject: (error: Error) => void;
}

/** The other end of the protocol object: asks it, in memory. */
class Wire implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage, extra?: MessageExtraInfo) => void;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    if (!('id' in message) || 'method' in message || typeof message.id !== 'number') return;
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if ('error' in message) waiting?.reject(new Refused(message.error.message));
    else if (isObject(message.result)) waiting?.resolve(objectOr(message.result));
  }

  async close(): Promise<void> {
    for (const { reject } of this.#waiting.values()) reject(cancelled());
    this.#waiting.clear();
    this.onclose?.();
  }

  tell(method: string, params?: Readonly<Record<string, unknown>>): void {
    this.onmessage?.({ jsonrpc: '2.0', method, ...(params && { params }) });
  }

  ask(
    method: string,
    params: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.tell('notifications/cancelled', { requestId: id });
        this.#waiting.delete(id);
        reject(cancelled());
      };
      if (signal?.aborted === true) {
        reject(cancelled());
        return;
      }
      signal?.addEventListener('abort', onAbort, { once: true });
      const settled = () => signal?.removeEventListener('abort', onAbort);
      this.#waiting.set(id, {
        resolve: (result) => {
          settled();
          resolve(result);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
      });
      this.onmessage?.({ jsonrpc: '2.0', id, method, params });
    });
  }
}

function cancelled(): HandrailError {
  return new HandrailError('cancelled', 'The conversation was stopped.');
}
