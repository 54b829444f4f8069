import { refusedTool } from '../../calls/refused-calls.ts';
import { classifyInboundRequest, isInitializeRequest } from '@modelcontextprotocol/server';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClientName } from '../../domain/call.ts';
import type { FollowUp } from '../../domain/pages/follow-up.ts';
import type { Call, CompiledTool, Hangup, Outcome } from '../../pipeline/types.ts';
import type { ServerView } from '../../registry/snapshot.ts';
import { acceptsJson } from '../accept.ts';
import { rpcError } from '../answer.ts';
import {
  clientFromDeclaration,
  clientFromUserAgent,
  clientHeadersOf,
  knowsLinks,
  legacyRevisions,
  modernRevision,
} from '../context.ts';
import type { Era, McpContext } from '../context.ts';
import { type BuiltInAnswer, schemaHint } from '../built-in/built-in-tools.ts';
import { directFollowUp, hasOwnArguments, takeOwnArguments } from '../built-in/own-arguments.ts';
import { chooseDialect, dialectParameter } from '../dialects/dialects.ts';
import type { Dialect } from '../dialects/dialects.ts';
import type { LegacySessions } from '../sessions/legacy-sessions.ts';
import { implementationOf } from '../stdio/greeting.ts';
import { paramHeadersOf, standardHeadersAgree } from '../param-headers.ts';
import { createPreparedAnswers } from './prepared-answers.ts';
import type { PreparedRequest } from './prepared-answers.ts';
import { ownName } from '../render/render-tools.ts';
import { promisesStructure, withoutLinks } from '../render/render-outcome.ts';
import { resultText, type Written } from './result-text.ts';
import type { SdkDependencies } from '../sdk/sdk-server.ts';
import type { Session } from '../sessions/session-token.ts';
import { isObject, type PlainObject } from '../../lib/json/plain-object.ts';
import { isRequestId, type RequestId } from '../request-id.ts';
import { holdWhileSending } from '../../lib/memory/hold-while-sending.ts';

type Params = PlainObject;

const versionKey = 'io.modelcontextprotocol/protocolVersion';
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';
const clientKey = 'io.modelcontextprotocol/clientInfo';
const traceKeys = new Set(['traceparent', 'tracestate', 'baggage']);
const maxRemembered = 1_000;

const nothing: readonly string[] = [];
const metaOnly = ['_meta'];
const nameAndVersion = ['name', 'version'];
const callKeys = ['name', 'arguments', '_meta'];
const requestKeys = ['jsonrpc', 'id', 'method', 'params'];
const notificationKeys = ['jsonrpc', 'method'];

/**
 * Answers the hot requests without the SDK: `tools/call`, `tools/list`, `server/discover`, `initialize`, `ping` and
 * `notifications/initialized`, when they are plainly well-formed and nothing needs a stream. Whatever is odd in any way
 * is left to the SDK's lane, whose answers are the reference for this one.
 */
export function createFastLane(dependencies: SdkDependencies, sessions: LegacySessions) {
  const prepared = createPreparedAnswers(dependencies);
  const stamps = new WeakMap<ServerView, string>();
  const introductions = new Map<string, ClientName | null>();

  /** What every modern result carries. */
  function stampOf(view: ServerView): string {
    let stamp = stamps.get(view);
    if (stamp === undefined) {
      const identity = JSON.stringify(
        implementationOf(view.server, dependencies.version, dependencies.iconsAt()),
      );
      stamp = `,"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":${identity}}`;
      stamps.set(view, stamp);
    }
    return stamp;
  }

  /** The client of a modern request, or undefined when the SDK would not take what it says about itself. */
  function introduced(
    meta: Params,
    capabilities: Params,
    req: IncomingMessage,
  ): ClientName | null | undefined {
    for (const key in meta) {
      if (key === versionKey || key === capabilitiesKey || key === clientKey) continue;
      if (!traceKeys.has(key) || typeof meta[key] !== 'string') return undefined;
    }
    const key = introductionKey(capabilities, meta[clientKey]);
    let client = introductions.get(key);
    if (client === undefined) {
      if (key.length > 4_096) return undefined;
      const route = classifyInboundRequest({
        httpMethod: 'POST',
        protocolVersionHeader: modernRevision,
        mcpMethodHeader: 'ping',
        body: { jsonrpc: '2.0', id: 0, method: 'ping', params: { _meta: meta } },
      });
      if (route.kind !== 'modern') return undefined;
      client = clientFromDeclaration(meta[clientKey]);
      if (introductions.size >= maxRemembered) introductions.clear();
      introductions.set(key, client);
    }
    return client ?? clientFromUserAgent(req.headers['user-agent']);
  }

  function takeModern(
    req: IncomingMessage,
    res: ServerResponse,
    id: RequestId,
    method: string,
    params: Params,
    meta: Params,
    context: McpContext,
  ): boolean {
    const capabilities = meta[capabilitiesKey];
    if (meta[versionKey] !== modernRevision || !isObject(capabilities)) return false;
    const name = method === 'tools/call' ? params['name'] : null;
    if (name !== null && typeof name !== 'string') return false;
    if (!standardHeadersAgree(req.headers, modernRevision, method, name)) return false;
    const client = introduced(meta, capabilities, req);
    if (client === undefined) return false;
    const dialect = dialectFor(req, context, client);
    if (method === 'tools/call') {
      const traceparent = meta['traceparent'] ?? req.headers['traceparent'];
      return takeCall(req, res, id, params, context, {
        era: 'modern',
        client,
        dialect,
        session: null,
        traceparent,
        links: true,
      });
    }
    if (method !== 'tools/list' && method !== 'server/discover') return false;
    if (!onlyKeys(params, metaOnly)) return false;
    return takePrepared(res, id, { era: 'modern', method, listChanged: true }, context, dialect);
  }

  function takeLegacy(
    req: IncomingMessage,
    res: ServerResponse,
    id: RequestId,
    method: string,
    params: Params | undefined,
    context: McpContext,
  ): boolean {
    const { headers } = req;
    if (!acceptsJson(headers.accept)) return false;
    const declared = headers['mcp-protocol-version'];
    if (!isLegacyOrSilent(declared)) return false;
    if (params && '_meta' in params) return false;
    if (method === 'initialize') return takeInitialize(req, res, id, params, context);
    const state = sessions.of(req, context);
    if (state.kind === 'gone') return false;
    const session = state.kind === 'valid' ? state.session : null;
    switch (method) {
      case 'ping':
        if (params && !onlyKeys(params, nothing)) return false;
        end(res, `{"result":{},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`);
        return true;
      case 'tools/list': {
        if (params && !onlyKeys(params, nothing)) return false;
        const client = session?.client ?? clientFromUserAgent(headers['user-agent']);
        const request = { era: 'legacy', method, listChanged: session !== null } as const;
        return takePrepared(res, id, request, context, dialectFor(req, context, client));
      }
      case 'tools/call': {
        if (!params) return false;
        const client = session?.client ?? clientFromUserAgent(headers['user-agent']);
        const dialect = dialectFor(req, context, client);
        return takeCall(req, res, id, params, context, {
          era: 'legacy',
          client,
          dialect,
          session,
          traceparent: headers['traceparent'],
          links: knowsLinks(session?.revision ?? declared),
        });
      }
      default:
        return false;
    }
  }

  function takeInitialize(
    req: IncomingMessage,
    res: ServerResponse,
    id: RequestId,
    params: Params | undefined,
    context: McpContext,
  ): boolean {
    const revision = params?.['protocolVersion'];
    if (!params || typeof revision !== 'string' || !legacyRevisions.includes(revision)) return false;
    if (!isInitializeRequest({ jsonrpc: '2.0', id, method: 'initialize', params })) return false;
    const client =
      clientFromDeclaration(params['clientInfo']) ?? clientFromUserAgent(req.headers['user-agent']);
    const { capabilities } = params;
    const token = sessions.open(context, revision, client, isObject(capabilities) ? capabilities : undefined);
    const request = { era: 'legacy', method: 'initialize', revision, listChanged: true } as const;
    return takePrepared(res, id, request, context, dialectFor(req, context, client), [
      'mcp-session-id',
      token,
    ]);
  }

  function takePrepared(
    res: ServerResponse,
    id: RequestId,
    request: PreparedRequest,
    context: McpContext,
    dialect: Dialect,
    headers: readonly string[] = [],
  ): boolean {
    if (request.method === 'tools/list' && context.view.server.pageSize !== undefined) return false;
    const answer = prepared.ready(context, request, dialect);
    if (answer) endPrepared(res, answer, id, headers);
    else void prepareAndEnd(res, id, request, context, dialect, headers);
    return true;
  }

  async function prepareAndEnd(
    res: ServerResponse,
    id: RequestId,
    request: PreparedRequest,
    context: McpContext,
    dialect: Dialect,
    headers: readonly string[],
  ): Promise<void> {
    try {
      endPrepared(res, await prepared.make(context, request, dialect), id, headers);
    } catch (error) {
      dependencies.log.error({ err: error, method: request.method }, 'an mcp answer could not be prepared');
      end(res, internalError(id));
    }
  }

  function takeCall(
    req: IncomingMessage,
    res: ServerResponse,
    id: RequestId,
    params: Params,
    context: McpContext,
    how: CallHow,
  ): boolean {
    const { name, arguments: args = {} } = params;
    if (typeof name !== 'string' || !isObject(args) || !onlyKeys(params, callKeys)) return false;
    if (Object.hasOwn(args, '__proto__')) return false;
    const { view, caller } = context;
    if (dependencies.native(view.server.slug)?.tools.has(name)) return false;
    const gone = new ClientHangup(res);
    const make = (toolName: string, given: Params, followUp: FollowUp): Call | undefined =>
      dependencies.calls.make({
        view,
        toolName,
        caller,
        client: how.client,
        surface: 'mcp',
        arguments: given,
        signal: gone,
        clientHeaders: clientHeadersOf(req),
        traceparent: how.traceparent,
        followUp,
      });
    const toolName = ownName(view, name, how.dialect);
    const call = make(toolName, args, directFollowUp(view.server));
    if (!call) {
      if (dependencies.hidesBehindScope(view, caller, name, args)) return false;
      const opened = dependencies.builtIn.open(name, args, view, caller, context.mode);
      if (opened !== undefined && 'run' in opened)
        return answerLater(
          { res, id, how, gone },
          () =>
            opened.run({
              client: how.client,
              surface: 'mcp',
              signal: gone,
              clientHeaders: clientHeadersOf(req),
              traceparent: how.traceparent,
            }),
          (result) => `${JSON.stringify(result).slice(0, -1)}${stampFor(how, view)}}`,
        );
      if (opened !== undefined && 'answer' in opened && opened.unknownTool !== undefined)
        dependencies.calls.refuse(
          refusedTool({
            view,
            toolName: opened.unknownTool,
            caller,
            client: how.client,
            surface: 'mcp',
            arguments: args,
          }),
        );
      return opened !== undefined && takeBuiltIn(res, id, view, how, gone, opened, make);
    }
    if (how.era === 'modern' && !how.dialect.rules && paramHeadersOf(call.tool.inputSchema)?.length)
      return false;
    if (hasOwnArguments(view.server, call.tool, args)) {
      const read = takeOwnArguments(view.server, call.tool, args);
      const opened =
        'refused' in read
          ? { answer: read.refused }
          : { toolName, arguments: read.rest, select: read.select, followUp: read.followUp };
      return takeBuiltIn(res, id, view, how, gone, opened, make);
    }
    return answerLater(
      { res, id, how, gone },
      () => dependencies.runCall(call),
      (outcome) => fittedText(call, outcome, how, view),
    );
  }

  /** What came of a call, written within what a model may read: at once, unless it is longer than that. */
  function fittedText(
    call: Call,
    whole: Outcome,
    how: CallHow,
    view: ServerView,
    select?: string,
    hint?: (outcome: Outcome, tool: CompiledTool) => string,
  ): Written | Promise<Written> {
    const write = (outcome: Outcome): Written => {
      const promised = promisesStructure(view.server, call.tool);
      const shown = how.links ? outcome : withoutLinks(outcome);
      return resultText(shown, promised, stampFor(how, view), hint?.(outcome, call.tool));
    };
    const fitted = dependencies.replies.budget.fit(call, whole, select);
    return fitted instanceof Promise ? fitted.then(write) : write(fitted);
  }

  /** One of Handrail's own tools: its answer, or the call that it lets through. */
  function takeBuiltIn(
    res: ServerResponse,
    id: RequestId,
    view: ServerView,
    how: CallHow,
    gone: ClientHangup,
    opened: Exclude<BuiltInAnswer, { readonly run: unknown }>,
    make: (toolName: string, given: Params, followUp: FollowUp) => Call | undefined,
  ): boolean {
    if ('answer' in opened) {
      return answerLater(
        { res, id, how, gone },
        () => opened.answer,
        (result) => `${JSON.stringify(result).slice(0, -1)}${stampFor(how, view)}}`,
      );
    }
    if (Object.hasOwn(opened.arguments, '__proto__')) return false;
    const call = make(opened.toolName, opened.arguments, opened.followUp);
    if (!call) return false;
    return answerLater(
      { res, id, how, gone },
      () => dependencies.runCall(call),
      (outcome) => fittedText(call, outcome, how, view, opened.select, schemaHint),
    );
  }

  const stampFor = (how: CallHow, view: ServerView) => (how.era === 'modern' ? stampOf(view) : '');

  /** Answers with what was asked for, written as a result, once it is there; false when the request's id is in use. */
  function answerLater<T>(
    { res, id, how, gone }: OpenRequest,
    ask: () => T | Promise<T>,
    resultOf: (asked: T) => Written | Promise<Written>,
  ): boolean {
    const running = how.session ? sessions.running(how.session) : null;
    if (running) {
      if (running.has(id)) return false;
      running.set(id, { deliver: () => (gone.cancelled = true) });
    }
    const answer = async (): Promise<void> => {
      try {
        const written = resultOf(await ask());
        // Nearly always there already, and then nothing waits for another turn.
        const result = written instanceof Promise ? await written : written;
        if (gone.cancelled) end(res, rpcError(id, -32_603, 'The request was cancelled'));
        else if (typeof result === 'string')
          end(res, `{"result":${result},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`);
        else endPieces(res, ['{"result":', ...result, `,"jsonrpc":"2.0","id":${JSON.stringify(id)}}`]);
      } catch (error) {
        dependencies.log.error({ err: error }, 'a call was rejected');
        end(res, internalError(id));
      } finally {
        running?.delete(id);
      }
    };
    void answer();
    return true;
  }

  return {
    /** Answers the request if it is one of the hot ones and has nothing odd about it; else says false and does nothing. */
    take(req: IncomingMessage, res: ServerResponse, message: unknown, context: McpContext): boolean {
      if (!isObject(message)) return false;
      const { jsonrpc, id, method, params } = message;
      if (jsonrpc !== '2.0' || typeof method !== 'string') return false;
      if (params !== undefined && !isObject(params)) return false;
      const meta = params?.['_meta'];
      if (id === undefined) {
        if (method !== 'notifications/initialized' || !onlyKeys(message, notificationKeys)) return false;
        return takeInitialized(req, res, context);
      }
      if (!isRequestId(id)) return false;
      if (!onlyKeys(message, requestKeys)) return false;
      return params !== undefined && isObject(meta) && versionKey in meta
        ? takeModern(req, res, id, method, params, meta, context)
        : takeLegacy(req, res, id, method, params, context);
    },
  };

  function takeInitialized(req: IncomingMessage, res: ServerResponse, context: McpContext): boolean {
    const declared = req.headers['mcp-protocol-version'];
    if (!isLegacyOrSilent(declared)) return false;
    if (!acceptsJson(req.headers.accept) || sessions.of(req, context).kind === 'gone') return false;
    res.writeHead(202, ['content-length', '0']);
    res.end();
    return true;
  }
}

/** What a call needs to know of the exchange it came in. */
interface CallHow {
  readonly era: Era;
  readonly client: ClientName | null;
  readonly dialect: Dialect;
  readonly session: Session | null;
  readonly traceparent: unknown;
  /** Whether its revision knows links to resources. */
  readonly links: boolean;
}

/** A request whose answer takes a while. */
interface OpenRequest {
  readonly res: ServerResponse;
  readonly id: RequestId;
  readonly how: CallHow;
  readonly gone: ClientHangup;
}

/** Whether the client hung up or took its request back; asked a few times in a call, so nothing listens for it. */
class ClientHangup implements Hangup {
  cancelled = false;
  readonly #res: ServerResponse;

  constructor(res: ServerResponse) {
    this.#res = res;
  }

  get aborted(): boolean {
    return this.cancelled || this.#res.destroyed;
  }
}

/** Tells introductions apart. Nearly every client gives its name, its version and no capabilities. */
function introductionKey(capabilities: Params, client: unknown): string {
  if (isObject(client) && onlyKeys(capabilities, nothing) && onlyKeys(client, nameAndVersion)) {
    const { name, version } = client;
    if (typeof name === 'string' && typeof version === 'string') return `${name.length} ${name}${version}`;
  }
  // As members of an object, a client of null and no client stay different.
  return JSON.stringify({ capabilities, client });
}

function dialectFor(req: IncomingMessage, context: McpContext, client: ClientName | null): Dialect {
  return chooseDialect(dialectParameter(req), context.view.server.dialect, client?.name);
}

/** Whether a header names a legacy revision, or is not there. */
function isLegacyOrSilent(declared: string | string[] | undefined): declared is string | undefined {
  return declared === undefined || (typeof declared === 'string' && legacyRevisions.includes(declared));
}

function onlyKeys(value: Params, allowed: readonly string[]): boolean {
  for (const key in value) if (!allowed.includes(key)) return false;
  return true;
}

function internalError(id: RequestId): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":{"code":-32603,"message":"Internal error"}}`;
}

const jsonHeaders = [
  'content-type',
  'application/json',
  'x-content-type-options',
  'nosniff',
  'content-length',
];

function end(res: ServerResponse, text: string): void {
  if (res.destroyed) return;
  const length = Buffer.byteLength(text);
  holdWhileSending(res, length);
  res.writeHead(200, [...jsonHeaders, String(length)]);
  // Given to `end`, the text would go out as one of two pieces, which costs a call 2 µs more than a write alone.
  res.cork();
  // ASCII alone, as nearly always, is the same in Latin-1, which Node writes without looking at each character.
  res.write(text, length === text.length ? 'latin1' : 'utf8');
  res.uncork();
  res.end();
}

function endPieces(res: ServerResponse, pieces: readonly (string | Buffer)[]): void {
  if (res.destroyed) return;
  const length = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
  holdWhileSending(res, length);
  res.writeHead(200, [...jsonHeaders, String(length)]);
  res.cork();
  for (const piece of pieces) res.write(piece);
  res.uncork();
  res.end();
}

function endPrepared(res: ServerResponse, answer: Buffer, id: RequestId, headers: readonly string[]): void {
  if (res.destroyed) return;
  const rest = `${JSON.stringify(id)}}`;
  const length = answer.length + Buffer.byteLength(rest);
  holdWhileSending(res, length);
  res.writeHead(200, [...jsonHeaders, String(length), ...headers]);
  res.cork();
  res.write(answer);
  res.end(rest);
  res.uncork();
}
