import { refusedTool } from '../calls/refused-calls.ts';
import { classifyInboundRequest } from '@modelcontextprotocol/server';
import type { HttpRequest, HttpResponse } from '../lib/http-exchange.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { CallMaker } from '../calls/make-call.ts';
import type { Caller } from '../domain/call.ts';
import { mcpErrors } from '../domain/error-messages/mcp.ts';
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
import { modeParameter, readRequestedMode, type ServingModes } from './modes/serving-modes.ts';
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
import { rejectOverlongIds } from './request-ids.ts';
import { createRequestStates } from './sdk/request-state.ts';
import type { McpDependencies } from './sdk/sdk-server.ts';
import { createSessionTokens, maxSessionIdLength } from './sessions/session-token.ts';
import type { StdioLane } from './stdio/stdio-lane.ts';
import { idOf, requestedTool } from './requested-tool.ts';

export interface McpHandlerOptions {
  readonly calls: CallMaker;
  readonly answerCall: AnswerCall;
  /** The error for a caller whose access token lacks the scope for a tool; undefined if it doesn't. */
  readonly stepUp?: (
    server: Server,
    caller: Caller,
    tool: { readonly id: string; readonly name: string },
  ) => HandrailError | undefined;
  /** Decides how servers list their tools. */
  readonly modes: ServingModes;
  readonly search: ToolSearch;
  /** Limits and counts the tools that call no other tool; without it they are unlimited. */
  readonly builtInWatch?: BuiltInWatch;
  readonly replies: Replies;
  /** Runs scripts; without it scripts are not available. */
  readonly runCode?: RunCode;
  /** Saves how a server starts a connection over stdio, for the next process that serves it. */
  readonly rememberOpening?: (
    slug: string,
    opening: Pick<RememberedOpening, 'mode' | 'searchInstructions'>,
  ) => Promise<void>;
  /** The server currently published under a slug. */
  readonly listedView: (slug: string) => ServerView | undefined;
  /** Calls the listener after every registry change; returns how to stop. */
  readonly onRegistryChange: (listener: () => void) => () => void;
  /** The other processes of this gateway, if any. */
  readonly siblings?: Siblings;
  readonly log: Logger;
  /** Handrail's own version, as sent to clients. */
  readonly version: string;
  /** The URL at which clients reach the gateway, without a trailing slash. */
  readonly publicUrl: () => string;
  /** Signs legacy session IDs; the same for all instances of one store. */
  readonly sessionKey: Uint8Array;
  /** Sessions that clients ended, shared by all instances of one store. */
  readonly endedSessions: EndedSessions;
  /** Records when lists changed while a client wasn't connected; without it, clients don't learn of such changes. */
  readonly listTimes?: ListTimes;
  /** Features that Handrail implements itself, by server slug. */
  readonly native?: (slug: string) => NativeFeatures | undefined;
  /** Whether to answer hot requests without the SDK; on by default. */
  readonly fastLane?: boolean;
  readonly now?: () => number;
}

/** The number of clients, for metrics. */
export interface McpCounts {
  /** Clients with a stream on which they receive changes. */
  readonly listeners: number;
  /** Sessions of legacy clients that were used here and haven't been dropped. */
  readonly sessions: number;
}

/** The MCP surface behind `/mcp/{slug}`. */
export interface McpHandler {
  /**
   * Answers one HTTP request on `res`, completely. The HTTP surface has found the server, checked Host, Origin,
   * content type and access, and read the body (null if there is none). Headers already set on `res` are kept. Never
   * rejects.
   */
  handle(req: HttpRequest, res: HttpResponse, body: Uint8Array | null, context: McpContext): Promise<void>;
  /**
   * Serves a server to one caller over lines of text until `close`; `settled` resolves when no request is pending.
   */
  serveLines(
    channel: LineChannel,
    slug: string,
    caller: Caller,
    answered: ReadonlySet<unknown>,
    askedMode?: string,
  ): Promise<{ settled(): Promise<void>; close(): Promise<void> }>;
  /** Connects to a server from within the gateway, as the given caller. */
  openClient(request: OwnClientRequest): Promise<OwnClient>;
  /** Ends the streams of clients that only listen, because the process is about to stop; running calls continue. */
  endListening(): void;
  /** The number of listening clients and of sessions with state in this process. */
  counts(): McpCounts;
  /** Ends open streams and running exchanges. */
  close(): Promise<void>;
}

const done = Promise.resolve();
const quietMs = 250;
const maxQuietMs = 2_000;

/** Creates the MCP surface, with every revision at one URL. */
export function createMcpHandler(options: McpHandlerOptions): McpHandler {
  const now = options.now ?? Date.now;
  const coreDependencies: CoreDependencies = {
    calls: options.calls,
    answerCall: options.answerCall,
    builtIn: createBuiltInTools(options.search, options.replies, options.builtInWatch, options.runCode),
    replies: options.replies,
    readKept: ({ context: { view, caller } }, uri) => readReplyResource(options.replies, view, caller, uri),
    version: options.version,
    // Over stdio there is no URL from which a client could load an icon.
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

  // Many edits within a moment, such as an import, are one change to listening clients.
  const refreshes = afterQuiet(
    () => {
      for (const line of lines) line.refresh();
      modern.refresh();
      legacy.refresh();
    },
    quietMs,
    maxQuietMs,
  );
  const stopListening = options.onRegistryChange(refreshes.ask);

  function answer(
    req: HttpRequest,
    res: HttpResponse,
    body: Uint8Array | null,
    context: McpContext,
  ): Promise<void> | null {
    if (req.method !== 'POST') return inMode(req, context, (served) => legacy.handle(req, res, null, served));
    const message = parseStrictJson(body ?? new Uint8Array(0));
    rejectOverlongIds(message);
    rejectOverlongSession(req);
    if (body === null || body.length <= longBytes) return answerMessage(req, res, message, context);
    rejectOddLongMessage(message);
    // Let other requests run in between.
    return nextTurn().then(() => answerMessage(req, res, message, context) ?? undefined);
  }

  function answerMessage(
    req: HttpRequest,
    res: HttpResponse,
    message: unknown,
    context: McpContext,
  ): Promise<void> | null {
    // A call is the same in every mode; a nonexistent tool is rejected as usual.
    if (isObject(message) && message['method'] === 'tools/call') {
      const mode = readRequestedMode(context.view.server, modeParameter(req));
      return dispatch(req, res, message, mode === undefined ? context : { ...context, mode });
    }
    return inMode(req, context, (served) => dispatch(req, res, message, served));
  }

  /** Continues once it is known how the server lists its tools for this client. */
  function inMode(
    req: HttpRequest,
    context: McpContext,
    next: (served: McpContext) => Promise<void> | null,
  ): Promise<void> | null {
    const asked = readRequestedMode(context.view.server, modeParameter(req));
    const serve = (mode: ListMode): Promise<void> | null => {
      if (mode !== 'direct') void options.search.prepare(context.view).catch(onTrouble);
      return next({ ...context, mode, recheck: () => recheckedMode(context, asked) });
    };
    const mode = options.modes.of(context.view, asked);
    return mode instanceof Promise ? mode.then((known) => serve(known) ?? undefined) : serve(mode);
  }

  const onTrouble = (err: unknown) => options.log.error({ err }, 'the tools of a server could not be read');

  function recheckedMode(context: McpContext, asked: ListMode | undefined): CallerView | undefined {
    const rechecked = context.recheck ? context.recheck() : context;
    return rechecked && { ...rechecked, mode: options.modes.known(rechecked.view, asked) };
  }

  function dispatch(
    req: HttpRequest,
    res: HttpResponse,
    message: unknown,
    context: McpContext,
  ): Promise<void> | null {
    if (fast?.take(req, res, message, context)) return null;
    const { caller } = context;
    if (caller.toolScopes !== undefined) {
      const refused = stepUpFor(message, context);
      if (refused !== undefined) {
        noteScope(req, message, context, refused);
        return answerMissingScope(res, message, refused);
      }
    }
    const route = classifyInboundRequest({
      httpMethod: 'POST',
      ...header(req, 'protocolVersionHeader', 'mcp-protocol-version'),
      ...header(req, 'mcpMethodHeader', 'mcp-method'),
      ...header(req, 'mcpNameHeader', 'mcp-name'),
      body: message,
    });
    // The SDK's handler answers what it rejects itself, so that there is only one wording.
    return (route.kind === 'legacy' ? legacy : modern).handle(req, res, message, context);
  }

  /** Records the rejection of an OAuth token that only has access to other tools. */
  function noteScope(
    req: HttpRequest,
    message: unknown,
    { view, caller }: McpContext,
    { message: why }: HandrailError,
  ): void {
    const toolName = requestedTool(message, view)?.name ?? '';
    const client = clientFromUserAgent(req.headers['user-agent']);
    options.calls.refuse({
      ...refusedTool({ view, toolName, caller, client, surface: 'mcp', arguments: {} }),
      message: why,
    });
  }

  function isHiddenByScope({ context }: McpRequest, params: PlainObject): boolean {
    if (context.caller.toolScopes === undefined) return false;
    return stepUpFor({ id: 0, method: 'tools/call', params }, context) !== undefined;
  }

  function stepUpFor(message: unknown, { view, caller }: McpContext): HandrailError | undefined {
    const listed = requestedTool(message, view);
    return (
      listed && options.stepUp?.(view.server, caller, { id: listed.compiled.tool.id, name: listed.name })
    );
  }

  function fail(res: HttpResponse, context: McpContext, thrown: unknown): void {
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
      if (!last) throw mcpErrors.serverNotFound({ slug });
      // A server that is withdrawn while it is being served keeps its name but has no tools left to call.
      const currentView = () => (last = options.listedView(slug) ?? withdrawn(last!));
      const asked = readRequestedMode(last.server, askedMode);
      const currentMode = () => options.modes.of(currentView(), asked);
      const knownMode = () => options.modes.known(currentView(), asked);
      // The opening of the connection depends on the mode.
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
      refreshes.stop();
      legacy.close();
      await modern.close();
    },
  };
}

/** Answers with the status and header that ask a client for a token with more scopes. */
function answerMissingScope(res: HttpResponse, message: unknown, error: HandrailError): null {
  const { challenge } = error.details;
  sendJson(
    res,
    error.status,
    rpcError(idOf(message), -32_600, error.message),
    challenge === undefined ? {} : { 'www-authenticate': challenge },
  );
  return null;
}

// Longer than any session ID we issue, so it would be parsed for nothing.
function rejectOverlongSession(req: HttpRequest): void {
  const session = req.headers['mcp-session-id'];
  if (session !== undefined && session.length > maxSessionIdLength)
    throw mcpErrors.sessionIdTooLong({ max: maxSessionIdLength });
}

const longBytes = 256 * 1024;
// JSON-RPC defines six.
const maxMembers = 20;

// Validating these takes several times as long as parsing them, and only calls have a reason to be long.
function rejectOddLongMessage(message: unknown): void {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return;
  if (Object.keys(message).length > maxMembers) throw mcpErrors.notJsonRpc();
  if ((message as { method?: unknown }).method === 'initialize')
    throw mcpErrors.introductionTooLong({ maxBytes: longBytes });
}

function withdrawn(view: ServerView): ServerView {
  return view.tools.length === 0 ? view : { ...view, tools: [], byName: new Map() };
}

function header<Key extends string>(req: HttpRequest, key: Key, name: string): Partial<Record<Key, string>> {
  const value = headerOf(req, name);
  if (value === undefined) return {};
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- TypeScript loses the name of a computed key
  return { [key]: value } as Record<Key, string>;
}
