import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
} from '@modelcontextprotocol/server';
import { randomBytes } from 'node:crypto';
import type { HttpRequest, HttpResponse } from '../../lib/http-exchange.ts';
import type { ClientName } from '../../domain/call.ts';
import { objectOr, textOr } from '../../lib/json/plain-object.ts';
import type { Siblings } from '../../lib/siblings.ts';
import { acceptsJson, acceptsStream } from '../accept.ts';
import { rpcError, sendEmpty, sendJson } from '../answer.ts';
import { hasBatches, maxBatchMessages } from '../batches.ts';
import {
  assumedLegacyRevision,
  clientFromDeclaration,
  clientFromUserAgent,
  clientHeadersOf,
  headerOf,
  legacyRevisions,
  modernRevision,
  type McpContext,
} from '../context.ts';
import { chooseDialect, dialectParameter } from '../dialects/dialects.ts';
import { isRequestId } from '../request-ids.ts';
import { openEventStream } from '../sessions/event-stream.ts';
import { LegacyExchange } from './legacy-exchange.ts';
import {
  addStream,
  emit,
  eventId,
  parseEventId,
  type LiveSession,
  type ResumableStream,
} from '../sessions/live-sessions.ts';
import type { LegacySessions } from '../sessions/legacy-sessions.ts';
import { shareSessions } from '../sessions/shared-sessions.ts';
import { changeNotifications, compareViews, type ChangedLists } from '../sessions/list-changes.ts';
import { buildServer, type McpDependencies } from './sdk-server.ts';
import { type Session, sessionLifetimeMs } from '../sessions/session-token.ts';

const rehydrateId = 'handrail:initialize';
/** Requests that change the stored state of a session. */
const stateMethods = new Set(['resources/subscribe', 'resources/unsubscribe', 'logging/setLevel']);

interface LegacyLaneOptions extends McpDependencies {
  readonly sessions: LegacySessions;
  /** Other processes that may be answering requests of the same session. */
  readonly siblings?: Siblings;
  readonly now: () => number;
}

/** Serves the revisions that start with `initialize`, through the SDK's protocol object. */
export function createLegacyLane(options: LegacyLaneOptions) {
  const { sessions, siblings, now } = options;
  const shared = siblings === undefined ? null : shareSessions(sessions.live, siblings);
  let stopping = false;

  async function post(
    req: HttpRequest,
    res: HttpResponse,
    body: unknown,
    context: McpContext,
  ): Promise<void> {
    const accept = acceptOf(req);
    if (!accept.json && !accept.stream) {
      sendJson(
        res,
        406,
        rpcError(null, -32_000, 'Not Acceptable: accept application/json, text/event-stream or both'),
      );
      return;
    }
    const state = sessions.of(req, context);
    if (state.kind === 'gone') {
      sendJson(res, 404, rpcError(null, -32_001, 'Session not found: it has ended; initialize again'));
      return;
    }
    const session = state.kind === 'valid' ? state.session : null;
    const batch = Array.isArray(body);
    const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
    if (messages.length > maxBatchMessages) {
      sendJson(
        res,
        400,
        rpcError(null, -32_600, `Invalid Request: a batch may have at most ${maxBatchMessages} messages`),
      );
      return;
    }
    const requests = messages.filter((message) => isJSONRPCRequest(message));
    const initialize = requests.find((request) => request.method === 'initialize');
    if (initialize && batch) {
      sendJson(res, 400, rpcError(null, -32_600, 'Invalid Request: initialize cannot be part of a batch'));
      return;
    }
    const declared = headerOf(req, 'mcp-protocol-version');
    const revision = declared ?? session?.revision ?? assumedLegacyRevision;
    const unbatched = [revision, session?.revision].find((one) => !hasBatches(one));
    if (batch && unbatched !== undefined && [...legacyRevisions, modernRevision].includes(unbatched)) {
      sendJson(
        res,
        400,
        rpcError(
          null,
          -32_600,
          `Invalid Request: revision ${unbatched} has no batches; send one message per request`,
        ),
      );
      return;
    }
    if (!initialize && declared !== undefined && !legacyRevisions.includes(declared)) {
      const supported = legacyRevisions.join(', ');
      sendJson(
        res,
        400,
        rpcError(
          null,
          -32_000,
          `Bad Request: Unsupported protocol version: ${declared} (supported versions: ${supported})`,
        ),
      );
      return;
    }

    const live = session && !initialize ? sessions.live.of(session) : null;
    const replies = messages.filter((message) => !isJSONRPCRequest(message));
    if (live) for (const message of replies) route(live, message);
    if (requests.length === 0) {
      sendEmpty(res, 202);
      return;
    }
    if (hasDuplicates(requests) || (live && requests.some((request) => live.running.has(request.id)))) {
      sendJson(res, 400, rpcError(null, -32_600, 'Invalid Request: this request id is already in use'));
      return;
    }

    const client =
      (initialize ? clientFromDeclaration(initialize.params?.['clientInfo']) : session?.client) ??
      clientFromUserAgent(headerOf(req, 'user-agent'));
    await serve(res, context, { requests, initialize, batch, accept, revision, session, live, client, req });
  }

  async function serve(
    res: HttpResponse,
    context: McpContext,
    exchange: {
      requests: readonly JSONRPCRequest[];
      initialize: JSONRPCRequest | undefined;
      batch: boolean;
      accept: { json: boolean; stream: boolean };
      revision: string;
      session: Session | null;
      live: LiveSession | null;
      client: ClientName | null;
      req: HttpRequest;
    },
  ): Promise<void> {
    const { requests, initialize, revision, session, live, client } = exchange;
    const server = buildServer(options, {
      context,
      era: 'legacy',
      side: { client, surface: 'mcp', headers: clientHeadersOf(exchange.req) },
      listChanged: initialize !== undefined || session !== null,
      revision,
      dialect: () => chooseDialect(dialectParameter(exchange.req), context.view.server.dialect, client?.name),
      ...(live && { subscriptions: live.subscriptions }),
    });
    const transport = new LegacyExchange({
      res,
      requestIds: requests.map((request) => request.id),
      batch: exchange.batch,
      acceptsJson: exchange.accept.json,
      acceptsStream: exchange.accept.stream,
      revision,
      live,
      now,
      newStreamId: () => randomBytes(9).toString('base64url'),
      headers: (responses) => (initialize ? openSession(responses[0], initialize, context, client) : {}),
      onDone: () => {
        void server.close();
        // Known only after it was granted.
        if (live && requests.some(({ method }) => stateMethods.has(method))) shared?.publishState(live);
      },
    });
    await server.connect(transport);
    if (!initialize) {
      // A new protocol object has no state; it is initialized the way the session's own `initialize` was.
      await transport.ask({
        jsonrpc: '2.0',
        id: rehydrateId,
        method: 'initialize',
        params: {
          protocolVersion: revision,
          capabilities: session?.capabilities ?? {},
          clientInfo: { name: client?.name ?? 'unknown', version: client?.version ?? '0' },
        },
      });
      if (live?.logLevel !== undefined) {
        await transport.ask({
          jsonrpc: '2.0',
          id: rehydrateId,
          method: 'logging/setLevel',
          params: { level: live.logLevel },
        });
      }
    }
    for (const request of requests) {
      if (request.method === 'logging/setLevel' && live) live.logLevel = textOr(request.params?.['level']);
      transport.onmessage?.(
        request,
        transport.polls ? { closeSSEStream: () => transport.dropConnection() } : {},
      );
    }
  }

  function openSession(
    response: JSONRPCMessage | undefined,
    initialize: JSONRPCRequest,
    context: McpContext,
    client: ClientName | null,
  ): Record<string, string> {
    const result = isJSONRPCResultResponse(response) ? response.result : undefined;
    const revision = textOr(result?.['protocolVersion']) ?? textOr(initialize.params?.['protocolVersion']);
    if (response && !result) return {};
    const capabilities = objectOr(initialize.params?.['capabilities']);
    const token = sessions.open(context, revision, client, capabilities);
    return { 'mcp-session-id': token };
  }

  async function get(req: HttpRequest, res: HttpResponse, context: McpContext): Promise<void> {
    const state = sessions.of(req, context);
    if (state.kind === 'none') {
      refuseMethod(res);
      return;
    }
    if (state.kind !== 'valid') {
      sendJson(res, 404, rpcError(null, -32_001, 'Session not found: it has ended; initialize again'));
      return;
    }
    if (!acceptOf(req).stream) {
      sendJson(res, 406, rpcError(null, -32_000, 'Not Acceptable: Client must accept text/event-stream'));
      return;
    }
    const live = sessions.live.of(state.session);
    const lastEventId = headerOf(req, 'last-event-id');
    const resumed = lastEventId === undefined ? null : parseEventId(lastEventId);
    const known = resumed && live.streams.get(resumed.streamId);
    if (known) {
      if (known === live.listening) watch(context, live);
      resume(res, live, known, resumed.seq);
      return;
    }
    if (resumed && (await shared?.resume(res, state.session, resumed))) return;
    if (live.listening?.sink?.open) {
      if (lastEventId === undefined) {
        sendJson(res, 409, rpcError(null, -32_000, 'Conflict: Only one SSE stream is allowed per session'));
        return;
      }
      live.listening.sink.end();
    }
    const missed = missedBy(context, live, lastEventId !== undefined);
    const stream = addStream(live, randomBytes(9).toString('base64url'), now());
    live.listening = stream;
    attach(res, stream);
    live.watched = { context, seen: context };
    if (state.session.revision >= '2025-11-25') stream.sink?.prime(eventId(stream, 0));
    announceTo(live, missed);
    if (stopping) stream.sink?.end();
  }

  /** What the client of a session may have missed when it opens another stream. */
  function missedBy(context: McpContext, live: LiveSession, wasListening: boolean): ChangedLists {
    const { listTimes } = options;
    const { view, mode } = context;
    const sinceItBegan = listTimes.changedSince(view, live.session.expiresAtMs - sessionLifetimeMs);
    // What was sent is unknown here (a restart, another instance) or was never delivered: let the client look again.
    if (wasListening || live.listening?.undelivered) return everything(context);
    if (live.watched !== null) return {};
    const { tools, ...others } = sinceItBegan;
    return { ...others, ...(tools && (mode ?? 'direct') === 'direct' && { tools }) };
  }

  // The events are kept, because this connection may be lost as well.
  function resume(res: HttpResponse, live: LiveSession, stream: ResumableStream, afterSeq: number): void {
    stream.sink?.end();
    const sink = attach(res, stream);
    for (const event of stream.events)
      if (event.seq > afterSeq) sink.write(event.text, eventId(stream, event.seq));
    if (stream.done || (stopping && stream === live.listening)) sink.end();
  }

  function attach(res: HttpResponse, stream: ResumableStream) {
    const sink = openEventStream(res, {}, () => {
      if (stream.sink === sink) stream.sink = null;
    });
    stream.sink = sink;
    return sink;
  }

  // A client that resumes its stream has seen what was sent on it in the meantime.
  function watch(context: McpContext, live: LiveSession): void {
    live.watched = { context, seen: live.watched?.seen ?? context };
  }

  async function remove(req: HttpRequest, res: HttpResponse, context: McpContext): Promise<void> {
    const state = sessions.of(req, context);
    if (state.kind === 'none') refuseMethod(res);
    else if (state.kind === 'valid') {
      await sessions.live.end(state.session);
      sendEmpty(res, 200);
    } else sendJson(res, 404, rpcError(null, -32_001, 'Session not found'));
  }

  /** Passes a response or a cancellation to the exchange it is meant for, in whichever process that is. */
  function route(live: LiveSession, message: unknown): void {
    if (!routeHere(live, message)) siblings?.tell('session message', { sessionId: live.session.id, message });
  }

  /** Whether it was handled, so that no other process has to look for its exchange. */
  function routeHere(live: LiveSession, message: unknown): boolean {
    if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) {
      const asking = live.asked.get(String(message.id));
      asking?.deliver(message);
      return asking !== undefined;
    }
    if (!isJSONRPCNotification(message) || message.method !== 'notifications/cancelled') return true;
    const id = message.params?.['requestId'];
    const exchange = isRequestId(id) ? live.running.get(id) : undefined;
    exchange?.deliver(message);
    // The protocol object drops the response of a canceled request; a client still waiting for the body gets an
    // error.
    if (exchange instanceof LegacyExchange) setImmediate(() => exchange.abandon());
    return id === undefined || exchange !== undefined;
  }

  siblings?.on('session message', (body) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sent by the same version of this program, a few lines above
    const { sessionId, message } = body as { sessionId: string; message: JSONRPCMessage };
    const live = sessions.live.byId(sessionId);
    if (live !== undefined) routeHere(live, message);
  });

  /** Everything a client may have missed on a server, limited to what the server has. */
  function everything({ view, native: own }: McpContext): ChangedLists {
    const native = (own ?? options.native(view.server.slug)) !== undefined;
    return {
      tools: true,
      prompts: native || Boolean(view.server.prompts?.length),
      resources: native || Boolean(view.server.resources?.length),
    };
  }

  function announceTo(live: LiveSession, change: ChangedLists): void {
    const stream = live.listening;
    if (!stream) return;
    const resourceUris = change.resourceUris?.filter((uri) => live.subscriptions.has(uri)) ?? [];
    for (const notification of changeNotifications({ ...change, resourceUris })) {
      emit(live, stream, JSON.stringify({ jsonrpc: '2.0', ...notification }), now());
    }
  }

  return {
    async handle(req: HttpRequest, res: HttpResponse, body: unknown, context: McpContext): Promise<void> {
      if (req.method === 'POST') await post(req, res, body, context);
      else if (req.method === 'GET') await get(req, res, context);
      else if (req.method === 'DELETE') await remove(req, res, context);
      else refuseMethod(res);
    },

    /** Notifies the sessions of a server of a change outside the registry. */
    announce(serverId: string, change: ChangedLists): void {
      for (const live of sessions.live.all())
        if (live.session.serverId === serverId) announceTo(live, change);
    },

    /** Notifies every session of what changed for it; ends the stream of a caller that lost access. */
    refresh(): void {
      for (const live of sessions.live.all()) {
        const last = live.listening && live.watched;
        if (!last) continue;
        const { context, seen } = last;
        const seenNow = context.recheck ? context.recheck() : context;
        if (!seenNow) {
          live.listening?.sink?.end();
          continue;
        }
        live.watched = { context, seen: seenNow };
        options.listTimes.note(seenNow.view);
        announceTo(live, compareViews(seen, seenNow));
      }
    },

    /** Ends the streams of clients that only listen, now and whenever one is opened; answers continue. */
    endListening(): void {
      stopping = true;
      for (const live of sessions.live.all()) live.listening?.sink?.end();
    },

    listeners: () => [...sessions.live.all()].filter((live) => live.listening?.sink?.open).length,

    sessions: () => sessions.live.size,

    close(): void {
      sessions.live.clear();
    },
  };
}

function hasDuplicates(requests: readonly JSONRPCRequest[]): boolean {
  return new Set(requests.map((request) => request.id)).size !== requests.length;
}

function refuseMethod(res: HttpResponse): void {
  const text =
    'Method not allowed: MCP clients POST to this URL. GET and DELETE need the Mcp-Session-Id of a session.';
  sendJson(res, 405, rpcError(null, -32_000, text), { allow: 'POST' });
}

function acceptOf(req: HttpRequest): { json: boolean; stream: boolean } {
  const accept = headerOf(req, 'accept');
  return { json: acceptsJson(accept), stream: acceptsStream(accept) };
}
