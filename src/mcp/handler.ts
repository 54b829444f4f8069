import { refusedTool } from '../calls/refused-calls.ts';
import { classifyInboundRequest } from '@modelcontextprotocol/server';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { CallMaker } from '../calls/make-call.ts';
import type { Caller } from '../domain/call.ts';
import { HandrailError } from '../domain/errors.ts';
import type { ListMode, Server } from '../domain/server.ts';
import { afterQuiet } from '../lib/timing/after-quiet.ts';
import { isObject, type PlainObject } from '../lib/json/plain-object.ts';
import { parseStrictJson, StrictJsonError } from '../lib/json/strict/strict-json.ts';
import type { Siblings } from '../lib/siblings.ts';
import type { AnswerCall } from '../calls/answer-call.ts';
import type { ServerView } from '../registry/snapshot.ts';
import type { Replies } from '../replies/open-replies.ts';
import { rpcError, sendJson } from './answer.ts';
import { clientFromUserAgent, headerOf, type McpContext } from './context.ts';
import { searchInstructions } from './built-in/definitions.ts';
import type { RememberedOpening } from './stdio/greeting.ts';
import { type BuiltInWatch, createBuiltInTools } from './built-in/built-in-tools.ts';
import type { RunCode } from './built-in/run-code.ts';
import type { OwnClient, OwnClientRequest } from './inside/own-client.ts';
import type { ToolSearch } from './built-in/tool-search.ts';
import { createFastLane } from './fast/fast-lane.ts';
import { modeParameter, readAskedMode, type ServingModes } from './modes/serving-modes.ts';
import { createLegacyLane } from './sdk/legacy-lane.ts';
import { createLegacySessions } from './sessions/legacy-sessions.ts';
import type { EndedSessions } from './sessions/live-sessions.ts';
import type { ListTimes } from './sessions/list-times.ts';
import type { LineChannel } from './stdio/line-channel.ts';
import type { CallerView, ChangedLists } from './sessions/list-changes.ts';
import { createModernLane } from './sdk/modern-lane.ts';
import type { McpRequest } from './core/request.ts';
import { shownIcons } from './render/icons.ts';
import { type CoreDependencies, createMcpCore } from './core/core.ts';
import { readReplyResource } from './built-in/read-reply.ts';
import type { NativeFeatures } from './native.ts';
import { refuseOverlongIds } from './request-ids.ts';
import { createRequestStates } from './sdk/request-state.ts';
import type { McpDependencies } from './sdk/sdk-server.ts';
import { createSessionTokens, maxSessionIdLength } from './sessions/session-token.ts';
import type { StdioLane } from './stdio/stdio-lane.ts';
import { idOf, toolAskedFor } from './tool-asked-for.ts';

export interface McpHandlerOptions {
  readonly calls: CallMaker;
  readonly answerCall: AnswerCall;
  /** What a caller is told whose access token lacks the scope for a tool; undefined when there is nothing to say. */
  readonly stepUp?: (server: Server, caller: Caller, toolId: string) => HandrailError | undefined;
  /** Decides how servers show their tools. */
  readonly modes: ServingModes;
  readonly search: ToolSearch;
  /** Limits and counts the tools that call no other; without it they are free. */
  readonly builtInWatch?: BuiltInWatch;
  readonly replies: Replies;
  /** Runs scripts; without it none are run. */
  readonly runCode?: RunCode;
  /** Keeps how a server opens over stdio, for the next process that serves it. */
  readonly rememberOpening?: (
    slug: string,
    opening: Pick<RememberedOpening, 'mode' | 'searchInstructions'>,
  ) => Promise<void>;
  /** The server published under a slug now. */
  readonly listedView: (slug: string) => ServerView | undefined;
  /** Calls the listener after every change of the registry; returns what ends that. */
  readonly onRegistryChange: (listener: () => void) => () => void;
  /** The other processes of this gateway, where there are some. */
  readonly siblings?: Siblings;
  readonly log: Logger;
  /** Handrail's own version, told to clients. */
  readonly version: string;
  /** Where clients reach the gateway, without a trailing slash. */
  readonly publicUrl: () => string;
  /** Signs legacy session ids; the same for all instances of one store. */
  readonly sessionKey: Uint8Array;
  /** Sessions that clients ended, known to all instances of one store. */
  readonly endedSessions: EndedSessions;
  /** Knows when lists changed while nobody could be told; without it such changes are not told of. */
  readonly listTimes?: ListTimes;
  /** Features that Handrail implements itself, by server slug. */
  readonly native?: (slug: string) => NativeFeatures | undefined;
  /** Answer hot requests without the SDK; on unless switched off. */
  readonly fastLane?: boolean;
  readonly now?: () => number;
}

/** How many clients are there, for metrics. */
export interface McpCounts {
  /** Those with a stream on which they hear of changes. */
  readonly listeners: number;
  /** Sessions of legacy clients that were used here and have not been forgotten. */
  readonly sessions: number;
}

/** The MCP surface behind `/mcp/{slug}`. */
export interface McpHandler {
  /**
   * Answers one HTTP request on `res`, completely. The caller has found the server, checked Host, Origin, content type
   * and access, and read the body (null when there is none). Headers already set on `res` are kept. Never rejects.
   */
  handle(
    req: IncomingMessage,
    res: ServerResponse,
    body: Uint8Array | null,
    context: McpContext,
  ): Promise<void>;
  /** Serves a server over lines of text until `close`, to one caller; `settled` tells when nobody waits for an answer. */
  serveLines(
    channel: LineChannel,
    slug: string,
    caller: Caller,
    answered: ReadonlySet<unknown>,
    askedMode?: string,
  ): Promise<{ settled(): Promise<void>; close(): Promise<void> }>;
  /** Connects to a server from within the gateway, as the caller that is named. */
  openClient(request: OwnClientRequest): Promise<OwnClient>;
  /** Ends the streams on which clients only listen, because the process is about to stop; running calls go on. */
  endListening(): void;
  /** Clients that listen, and sessions that this process has something of. */
  counts(): McpCounts;
  /** Ends open streams and running exchanges. */
  close(): Promise<void>;
}

const done = Promise.resolve();
const quietMs = 250;
const maxQuietMs = 2_000;

/** Makes the MCP surface: every revision on one address. */
export function createMcpHandler(options: McpHandlerOptions): McpHandler {
  const now = options.now ?? Date.now;
  const coreDependencies: CoreDependencies = {
    calls: options.calls,
    answerCall: options.answerCall,
    builtIn: createBuiltInTools(options.search, options.replies, options.builtInWatch, options.runCode),
    replies: options.replies,
    readKept: ({ context: { view, caller } }, uri) => readReplyResource(options.replies, view, caller, uri),
    version: options.version,
    // Over stdio there is no address that a client could load one from.
    iconsFor: ({ icons }, surface) => shownIcons(icons, surface === 'stdio' ? null : options.publicUrl()),
    native: options.native ?? (() => undefined),
  };
  const dependencies: McpDependencies = {
    core: createMcpCore(coreDependencies),
    log: options.log,
    native: coreDependencies.native,
    announce,
    listTimes: options.listTimes ?? { changedSince: () => ({}), note: () => {} },
    states: createRequestStates(options.sessionKey, now),
  };
  const sessions = createLegacySessions(
    createSessionTokens(options.sessionKey, now),
    options.endedSessions,
    now,
  );
  const legacy = createLegacyLane({
    ...dependencies,
    sessions,
    now,
    ...(options.siblings && { siblings: options.siblings }),
  });
  const fast = (options.fastLane ?? true) ? createFastLane(dependencies, sessions, isHiddenByScope) : null;
  const modern = createModernLane(dependencies);

  const lines = new Set<StdioLane>();

  function announce(slug: string, change: ChangedLists): void {
    for (const line of lines) if (line.slug === slug) line.announce(change);
    modern.announce(slug, change);
    const serverId = options.listedView(slug)?.server.id;
    if (serverId !== undefined) legacy.announce(serverId, change);
  }

  // Many edits in a moment, such as an import, are one change to those who listen.
  const telling = afterQuiet(
    () => {
      for (const line of lines) line.refresh();
      modern.refresh();
      legacy.refresh();
    },
    quietMs,
    maxQuietMs,
  );
  const stopListening = options.onRegistryChange(telling.ask);

  function answer(
    req: IncomingMessage,
    res: ServerResponse,
    body: Uint8Array | null,
    context: McpContext,
  ): Promise<void> | null {
    if (req.method !== 'POST') return inMode(req, context, (served) => legacy.handle(req, res, null, served));
    const message = parseStrictJson(body ?? new Uint8Array(0));
    refuseOverlongIds(message);
    refuseOverlongSession(req);
    if (body === null || body.length <= longBytes) return goOn(req, res, message, context);
    refuseOddLong(message);
    // Others come in between what takes long.
    return nextTurn().then(() => goOn(req, res, message, context) ?? undefined);
  }

  function goOn(
    req: IncomingMessage,
    res: ServerResponse,
    message: unknown,
    context: McpContext,
  ): Promise<void> | null {
    // A call is the same in every mode; one that there is not is refused as ever.
    if (isObject(message) && message['method'] === 'tools/call') {
      const mode = readAskedMode(context.view.server, modeParameter(req));
      return dispatch(req, res, message, mode === undefined ? context : { ...context, mode });
    }
    return inMode(req, context, (served) => dispatch(req, res, message, served));
  }

  /** Goes on once it is known how the server shows its tools to this client. */
  function inMode(
    req: IncomingMessage,
    context: McpContext,
    goOn: (served: McpContext) => Promise<void> | null,
  ): Promise<void> | null {
    const asked = readAskedMode(context.view.server, modeParameter(req));
    const serve = (mode: ListMode): Promise<void> | null => {
      if (mode !== 'direct') void options.search.prepare(context.view).catch(onTrouble);
      return goOn({ ...context, mode, recheck: () => recheckedMode(context, asked) });
    };
    const mode = options.modes.of(context.view, asked);
    return mode instanceof Promise ? mode.then((told) => serve(told) ?? undefined) : serve(mode);
  }

  const onTrouble = (err: unknown) => options.log.error({ err }, 'the tools of a server could not be read');

  function recheckedMode(context: McpContext, asked: ListMode | undefined): CallerView | undefined {
    const now = context.recheck ? context.recheck() : context;
    return now && { ...now, mode: options.modes.known(now.view, asked) };
  }

  function dispatch(
    req: IncomingMessage,
    res: ServerResponse,
    message: unknown,
    context: McpContext,
  ): Promise<void> | null {
    if (fast?.take(req, res, message, context)) return null;
    const { caller } = context;
    if (caller.kind === 'oauth' && caller.toolIds !== undefined) {
      const refused = stepUpFor(message, context);
      if (refused !== undefined) {
        noteScope(req, message, context, refused);
        return refuseForScope(res, message, refused);
      }
    }
    const route = classifyInboundRequest({
      httpMethod: 'POST',
      ...header(req, 'protocolVersionHeader', 'mcp-protocol-version'),
      ...header(req, 'mcpMethodHeader', 'mcp-method'),
      ...header(req, 'mcpNameHeader', 'mcp-name'),
      body: message,
    });
    // The SDK's handler answers what it rejects itself, so that its words are the only ones.
    return (route.kind === 'legacy' ? legacy : modern).handle(req, res, message, context);
  }

  /** Only an OAuth token that opens other tools gets here. */
  function noteScope(
    req: IncomingMessage,
    message: unknown,
    { view, caller }: McpContext,
    { message: why }: HandrailError,
  ): void {
    const toolName = toolAskedFor(message, view)?.name ?? '';
    const client = clientFromUserAgent(req.headers['user-agent']);
    options.calls.refuse({
      ...refusedTool({ view, toolName, caller, client, surface: 'mcp', arguments: {} }),
      message: why,
    });
  }

  function isHiddenByScope({ context }: McpRequest, params: PlainObject): boolean {
    if (context.caller.kind !== 'oauth') return false;
    return stepUpFor({ id: 0, method: 'tools/call', params }, context) !== undefined;
  }

  function stepUpFor(message: unknown, { view, caller }: McpContext): HandrailError | undefined {
    const listed = toolAskedFor(message, view);
    return listed && options.stepUp?.(view.server, caller, listed.compiled.tool.id);
  }

  function fail(res: ServerResponse, context: McpContext, thrown: unknown): void {
    if (thrown instanceof HandrailError && !res.headersSent) {
      sendJson(res, thrown.status, rpcError(null, -32_600, thrown.message));
      return;
    }
    if (thrown instanceof StrictJsonError) {
      sendJson(res, 400, rpcError(null, -32_700, `Parse error: ${thrown.message}`));
      return;
    }
    options.log.error({ err: thrown, slug: context.view.server.slug }, 'mcp request failed');
    if (res.headersSent) res.destroy();
    else sendJson(res, 500, rpcError(null, -32_603, 'Internal error'));
  }

  return {
    handle(req, res, body, context) {
      try {
        return (
          answer(req, res, body, context)?.catch((thrown: unknown) => fail(res, context, thrown)) ?? done
        );
      } catch (thrown) {
        fail(res, context, thrown);
        return done;
      }
    },
    async serveLines(channel, slug, caller, answered, askedMode) {
      const { createStdioLane } = await import('./stdio/stdio-lane.ts');
      let last = options.listedView(slug);
      if (!last) throw new HandrailError('not_found', `There is no server "${slug}" here.`);
      // A server that is withdrawn while it is served keeps its name, and has nothing left to call.
      const currentView = () => (last = options.listedView(slug) ?? withdrawn(last!));
      const asked = readAskedMode(last.server, askedMode);
      const currentMode = () => options.modes.of(currentView(), asked);
      const knownMode = () => options.modes.known(currentView(), asked);
      // What the connection opens with depends on it.
      const mode = await options.modes.of(last, undefined);
      await options.rememberOpening?.(slug, { mode, searchInstructions: searchInstructions(last, caller) });
      await currentMode();
      const lane = createStdioLane(dependencies, {
        channel,
        caller,
        slug,
        currentView,
        currentMode,
        knownMode,
        answered,
      });
      lines.add(lane);
      return {
        settled: lane.settled,
        close() {
          lines.delete(lane);
          return lane.close();
        },
      };
    },
    async openClient(request) {
      const { openOwnClient } = await import('./inside/own-client.ts');
      const { calls, replies, search, builtInWatch: watch, runCode } = options;
      return openOwnClient({ ...coreDependencies, calls, replies, search, watch, runCode }, request);
    },
    endListening() {
      legacy.endListening();
      modern.endListening();
    },
    counts: () => ({
      listeners: legacy.listeners() + modern.listeners(),
      sessions: legacy.sessions(),
    }),
    async close() {
      stopListening();
      telling.stop();
      legacy.close();
      await modern.close();
    },
  };
}

/** The status and the header that tell a client to come back with a token of more scopes. */
function refuseForScope(res: ServerResponse, message: unknown, error: HandrailError): null {
  const { challenge } = error.details;
  sendJson(
    res,
    error.status,
    rpcError(idOf(message), -32_600, error.message),
    challenge === undefined ? {} : { 'www-authenticate': challenge },
  );
  return null;
}

// Longer than any that we give: it would be read, and taken for none.
function refuseOverlongSession(req: IncomingMessage): void {
  const session = req.headers['mcp-session-id'];
  if (session !== undefined && session.length > maxSessionIdLength)
    throw new HandrailError(
      'invalid_request',
      `Invalid Request: the Mcp-Session-Id is longer than ${maxSessionIdLength} characters`,
    );
}

const longBytes = 256 * 1024;
// JSON-RPC knows six.
const maxMembers = 20;

// Checking these takes several times as long as reading them, and only calls have a reason to be long.
function refuseOddLong(message: unknown): void {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return;
  if (Object.keys(message).length > maxMembers)
    throw new HandrailError('invalid_request', 'Invalid Request: the body is no JSON-RPC message.');
  if ((message as { method?: unknown }).method === 'initialize')
    throw new HandrailError(
      'invalid_request',
      `Invalid Request: a client introduces itself in at most ${longBytes} bytes.`,
    );
}

function withdrawn(view: ServerView): ServerView {
  return view.tools.length === 0 ? view : { ...view, tools: [], byName: new Map() };
}

function header<Key extends string>(
  req: IncomingMessage,
  key: Key,
  name: string,
): Partial<Record<Key, string>> {
  const value = headerOf(req, name);
  if (value === undefined) return {};
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- TypeScript forgets the name of a computed key
  return { [key]: value } as Record<Key, string>;
}
