import { classifyInboundRequest, isInitializeRequest } from '@modelcontextprotocol/server';
import type { HttpRequest, HttpResponse } from '../../lib/http-exchange.ts';
import type { ClientName } from '../../domain/call.ts';
import { escapeBytes } from '../../lib/json/escape/escape-bytes.ts';
import { rawBytes } from '../../pipeline/reply/raw-reply.ts';
import type { CompiledTool } from '../../pipeline/compiled-tool.ts';
import type { Content } from '../../pipeline/reply/reply.ts';
import type { Cancellation } from '../../pipeline/call.ts';
import type { ServerView } from '../../registry/snapshot.ts';
import { acceptsJson } from '../accept.ts';
import { rpcError } from '../answer.ts';
import { resultText } from '../core/call-result.ts';
import { declaresLinks, type McpRequest } from '../core/request.ts';
import { RpcFault } from '../core/rpc-fault.ts';
import {
  clientFromDeclaration,
  clientFromUserAgent,
  clientHeadersOf,
  supportsLinks,
  legacyRevisions,
  modernRevision,
  type Era,
  type McpContext,
} from '../context.ts';
import { chooseDialect, dialectParameter } from '../dialects/dialects.ts';
import type { LegacySessions } from '../sessions/legacy-sessions.ts';
import { paramHeadersOf, standardHeadersAgree } from '../param-headers.ts';
import { createPreparedAnswers, type PreparedMethod } from './prepared-answers.ts';
import type { McpDependencies } from '../sdk/sdk-server.ts';
import type { Session } from '../sessions/session-token.ts';
import { isObject, type PlainObject } from '../../lib/json/plain-object.ts';
import { isRequestId, type RequestId } from '../request-ids.ts';
import { holdWhileSending } from '../../lib/memory/hold-while-sending.ts';
import { WeakCache } from '../../lib/weak-cache.ts';

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
 * `notifications/initialized`, if they are plainly well-formed and nothing needs a stream. Anything unusual is left
 * to the SDK's lane, whose answers are the reference for this one.
 */
export function createFastLane(
  dependencies: McpDependencies,
  sessions: LegacySessions,
  /** Whether a call fails only because the caller's access token lacks a scope. */
  isHiddenByScope: (request: McpRequest, params: Params) => boolean,
) {
  const { callTool } = dependencies.core;
  const prepared = createPreparedAnswers(dependencies.core, stampOf);
  const stamps = new WeakCache<ServerView, string>();
  const introductions = new Map<string, ClientName | null>();

  /** The members that every modern result has. */
  function stampOf(request: McpRequest): string {
    if (request.era !== 'modern') return '';
    const { view } = request.context;
    let stamp = stamps.get(view);
    if (stamp === undefined) {
      const identity = JSON.stringify(dependencies.core.introduction(request).implementation);
      stamp = `,"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":${identity}}`;
      stamps.set(view, stamp);
    }
    return stamp;
  }

  /** The client of a modern request; undefined if the SDK would reject what it says about itself. */
  function introduced(meta: Params, capabilities: Params, req: HttpRequest): ClientName | null | undefined {
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
    req: HttpRequest,
    res: HttpResponse,
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
    const gone = new ClientCancellation(res);
    const traceparent = meta['traceparent'] ?? req.headers['traceparent'];
    const plain = requestOf(req, context, client, gone, 'modern', undefined, traceparent, true);
    const request = declaresLinks(capabilities) ? { ...plain, opensLinks: true } : plain;
    if (method === 'tools/call') return takeCall(res, id, params, null, request, gone);
    if (method !== 'tools/list' && method !== 'server/discover') return false;
    return onlyKeys(params, metaOnly) && takePrepared(res, id, method, request);
  }

  function takeLegacy(
    req: HttpRequest,
    res: HttpResponse,
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
      case 'tools/list':
      case 'tools/call': {
        const client = session?.client ?? clientFromUserAgent(headers['user-agent']);
        const gone = new ClientCancellation(res);
        const { traceparent } = headers;
        const revision = session?.revision ?? declared;
        const plain = requestOf(
          req,
          context,
          client,
          gone,
          'legacy',
          method === 'tools/call' ? revision : undefined,
          traceparent,
          session !== null,
        );
        const request = declaresLinks(session?.capabilities) ? { ...plain, opensLinks: true } : plain;
        if (method === 'tools/call')
          return params !== undefined && takeCall(res, id, params, session, request, gone);
        return (!params || onlyKeys(params, nothing)) && takePrepared(res, id, method, request);
      }
      default:
        return false;
    }
  }

  function takeInitialize(
    req: HttpRequest,
    res: HttpResponse,
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
    const gone = new ClientCancellation(res);
    const request = requestOf(req, context, client, gone, 'legacy', revision, undefined, true);
    return takePrepared(res, id, 'initialize', request, ['mcp-session-id', token]);
  }

  function takePrepared(
    res: HttpResponse,
    id: RequestId,
    method: PreparedMethod,
    request: McpRequest,
    headers: readonly string[] = [],
  ): boolean {
    if (method === 'tools/list' && request.context.view.server.pageSize !== undefined) return false;
    const answer = prepared.ready(method, request);
    if (answer) endPrepared(res, answer, id, headers);
    else void prepareAndEnd(res, id, method, request, headers);
    return true;
  }

  async function prepareAndEnd(
    res: HttpResponse,
    id: RequestId,
    method: PreparedMethod,
    request: McpRequest,
    headers: readonly string[],
  ): Promise<void> {
    try {
      endPrepared(res, await prepared.make(method, request), id, headers);
    } catch (error) {
      dependencies.log.error({ err: error, method }, 'an mcp answer could not be prepared');
      end(res, internalError(id));
    }
  }

  function takeCall(
    res: HttpResponse,
    id: RequestId,
    params: Params,
    session: Session | null,
    request: McpRequest,
    gone: ClientCancellation,
  ): boolean {
    const { name, arguments: args = {} } = params;
    if (typeof name !== 'string' || !isObject(args) || !onlyKeys(params, callKeys)) return false;
    if (Object.hasOwn(args, '__proto__')) return false;
    const opened = callTool.open(name, args, request);
    switch (opened.kind) {
      case 'native':
      case 'unknown':
        return false;
      case 'built-in':
        if (isHiddenByScope(request, params)) return false;
        break;
      case 'call': {
        const { tool, arguments: given } = opened.call;
        if (isObject(given) && Object.hasOwn(given, '__proto__')) return false;
        if (!opened.isIndirect && mirrorsParams(request, tool)) return false;
      }
    }
    const running = session === null ? null : sessions.running(session);
    if (running) {
      if (running.has(id)) return false;
      running.set(id, { deliver: () => (gone.cancelled = true) });
    }
    const answer = async (): Promise<void> => {
      try {
        const result = resultText(await callTool.run(opened, args, request), stampOf(request), escapedText);
        if (gone.cancelled) end(res, rpcError(id, -32_603, 'The request was canceled'));
        else if (typeof result === 'string')
          end(res, `{"result":${result},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`);
        else endPieces(res, ['{"result":', ...result, `,"jsonrpc":"2.0","id":${JSON.stringify(id)}}`]);
      } catch (error) {
        if (error instanceof RpcFault) {
          end(res, rpcError(id, error.code, error.message, error.data));
          return;
        }
        dependencies.log.error({ err: error }, 'a call failed unexpectedly');
        end(res, internalError(id));
      } finally {
        running?.delete(id);
        if (gone.release !== null) gone.release();
      }
    };
    void answer();
    return true;
  }

  return {
    /** Answers the request if it is a hot one with nothing unusual about it; else returns false and does nothing. */
    take(req: HttpRequest, res: HttpResponse, message: unknown, context: McpContext): boolean {
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

  function takeInitialized(req: HttpRequest, res: HttpResponse, context: McpContext): boolean {
    const declared = req.headers['mcp-protocol-version'];
    if (!isLegacyOrSilent(declared)) return false;
    if (!acceptsJson(req.headers.accept) || sessions.of(req, context).kind === 'gone') return false;
    res.writeHead(202, ['content-length', '0']);
    res.end();
    return true;
  }
}

/** Whether the client disconnected or canceled its request; polled a few times per call, so no listener is needed. */
class ClientCancellation implements Cancellation {
  cancelled = false;
  /** Releases the memory of the reply. */
  release: (() => void) | null = null;
  readonly #res: HttpResponse;

  constructor(res: HttpResponse) {
    this.#res = res;
  }

  get aborted(): boolean {
    return this.cancelled || this.#res.destroyed;
  }

  onReply(release: () => void): void {
    this.release = release;
  }
}

/** Whether parameters of a tool are mirrored in headers, which must be compared first. */
function mirrorsParams({ era, dialect }: McpRequest, { inputSchema }: CompiledTool): boolean {
  return era === 'modern' && !dialect.rules && Boolean(paramHeadersOf(inputSchema)?.length);
}

/** The reply's own text, if its bytes can be written unchanged. */
export function escapedText(first: Content): Buffer[] | null {
  const bytes = rawBytes(first);
  return bytes === undefined ? null : escapeBytes(bytes);
}

/** Identifies an introduction. Almost every client sends its name, its version and no capabilities. */
function introductionKey(capabilities: Params, client: unknown): string {
  if (isObject(client) && onlyKeys(capabilities, nothing) && onlyKeys(client, nameAndVersion)) {
    const { name, version } = client;
    if (typeof name === 'string' && typeof version === 'string') return `${name.length} ${name}${version}`;
  }
  // As members of an object, a null client and a missing client stay different.
  return JSON.stringify({ capabilities, client });
}

/** A request of either era, with everything the core needs; one object per call, created in one piece. */
function requestOf(
  req: HttpRequest,
  context: McpContext,
  client: ClientName | null,
  signal: Cancellation,
  era: Era,
  revision: string | undefined,
  traceparent: unknown,
  listChanged: boolean,
): McpRequest {
  return {
    context,
    era,
    revision,
    client,
    surface: 'mcp',
    headers: clientHeadersOf(req),
    traceparent,
    signal,
    dialect: chooseDialect(dialectParameter(req), context.view.server.dialect, client?.name),
    links: era === 'modern' || supportsLinks(revision, client),
    listChanged,
    progress: null,
  };
}

/** Whether a header names a legacy revision or is absent. */
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

function end(res: HttpResponse, text: string): void {
  if (res.destroyed) return;
  const length = Buffer.byteLength(text);
  holdWhileSending(res, length);
  res.writeHead(200, [...jsonHeaders, String(length)]);
  // Passed to `end`, the text would be sent as one of two pieces, which costs 2 µs more per call than a single write.
  res.cork();
  // Plain ASCII, as almost always, is the same in Latin-1, which Node writes without examining each character.
  res.write(text, length === text.length ? 'latin1' : 'utf8');
  res.uncork();
  res.end();
}

function endPieces(res: HttpResponse, pieces: readonly (string | Buffer)[]): void {
  if (res.destroyed) return;
  const length = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
  holdWhileSending(res, length);
  res.writeHead(200, [...jsonHeaders, String(length)]);
  res.cork();
  for (const piece of pieces) res.write(piece);
  res.uncork();
  res.end();
}

function endPrepared(res: HttpResponse, answer: Buffer, id: RequestId, headers: readonly string[]): void {
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
