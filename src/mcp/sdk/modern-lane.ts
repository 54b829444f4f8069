import { writeMarked } from '../../lib/json/numbers/exact-numbers.ts';
import {
  CLIENT_INFO_META_KEY,
  InMemoryServerEventBus,
  createMcpHandler as createSdkHandler,
  type McpHttpHandler,
} from '@modelcontextprotocol/server';
import type { HttpRequest, HttpResponse } from '../../lib/http-exchange.ts';
import { findCallable } from '../../registry/callable-tools.ts';
import { objectOr } from '../../lib/json/plain-object.ts';
import { isRequestId } from '../request-ids.ts';
import { acceptsStream } from '../accept.ts';
import { rpcError, sendEmpty, sendJson } from '../answer.ts';
import {
  clientFromDeclaration,
  clientFromUserAgent,
  clientHeadersOf,
  headerOf,
  modernRevision,
  type McpContext,
} from '../context.ts';
import { chooseDialect, dialectParameter } from '../dialects/dialects.ts';
import { compareViews, toolFilterKey, type ChangedLists, type CallerView } from '../sessions/list-changes.ts';
import { paramHeaderMismatch, paramHeadersOf, standardHeadersAgree } from '../param-headers.ts';
import { buildServer, type McpDependencies } from './sdk-server.ts';

const keepAliveMs = 15_000;
const reconnectWithinMs = 10 * 60_000;

interface ServerHandler {
  readonly slug: string;
  readonly handler: McpHttpHandler;
  readonly bus: InMemoryServerEventBus;
  /** Open streams, each with the controller that ends it when its caller loses access. */
  readonly streams: Map<AbortController, OpenStream>;
  /** Requests being answered. */
  using: number;
}

interface OpenStream {
  readonly context: McpContext;
  readonly listens: boolean;
  /** What its client has been notified of. */
  seen: CallerView;
}

interface Incoming {
  readonly context: McpContext;
  readonly req: HttpRequest;
  readonly body: unknown;
}

/** A request in the form the SDK's handler takes, with its origin. */
class IncomingRequest extends Request {
  readonly incoming: Incoming;

  constructor(url: string, init: RequestInit, incoming: Incoming) {
    super(url, init);
    this.incoming = incoming;
  }
}

/**
 * Serves revision 2026-07-28 through the SDK's own handler: one per server, and one per set of tools with listeners,
 * so that a change reaches only those who can see it.
 */
export function createModernLane(dependencies: McpDependencies) {
  const handlers = new Map<string, ServerHandler>();
  let stopping = false;
  let lateListeners = 0;

  function handlerFor(slug: string, listeners: string): ServerHandler {
    const key = `${slug} ${listeners}`;
    let entry = handlers.get(key);
    if (!entry) {
      const onerror = (error: Error) =>
        dependencies.log.debug({ slug, err: error }, 'mcp request was rejected');
      const bus = new InMemoryServerEventBus(onerror);
      const handler = createSdkHandler(
        ({ requestInfo }) => {
          if (!(requestInfo instanceof IncomingRequest))
            throw new TypeError('The request was not made by this module.');
          const { context, req, body } = requestInfo.incoming;
          const side = clientSide(req, body);
          const dialect = dialectOf(req, body, context);
          return buildServer(dependencies, {
            context,
            era: 'modern',
            side,
            listChanged: true,
            streams: acceptsStream(headerOf(req, 'accept')),
            dialect: () => dialect,
          });
        },
        { legacy: 'reject', bus, onerror, keepAliveMs },
      );
      entry = { slug, handler, bus, streams: new Map(), using: 0 };
      handlers.set(key, entry);
    }
    return entry;
  }

  // Keys come and go, and sets of tools with them.
  function forget(entry: ServerHandler): void {
    for (const [key, other] of handlers) if (other === entry) handlers.delete(key);
    entry.handler.close().catch(() => {});
  }

  function publish({ bus }: ServerHandler, change: ChangedLists): void {
    if (change.tools) bus.publish({ kind: 'tools_list_changed' });
    if (change.prompts) bus.publish({ kind: 'prompts_list_changed' });
    if (change.resources) bus.publish({ kind: 'resources_list_changed' });
    for (const uri of change.resourceUris ?? []) bus.publish({ kind: 'resource_updated', uri });
  }

  /** What changed for one stream since its client was last notified; ends the stream of a caller that lost access. */
  function changeFor(gone: AbortController, stream: OpenStream): ChangedLists {
    const seenNow = stream.context.recheck ? stream.context.recheck() : stream.context;
    if (!seenNow) {
      gone.abort();
      return {};
    }
    const change = compareViews(stream.seen, seenNow);
    stream.seen = seenNow;
    return change;
  }

  async function answer(
    entry: ServerHandler,
    missed: ChangedLists | null,
    req: HttpRequest,
    res: HttpResponse,
    body: unknown,
    context: McpContext,
  ): Promise<void> {
    const listens = missed !== null;
    const gone = new AbortController();
    if (res.destroyed) gone.abort();
    else res.once('close', () => gone.abort());
    const request = new IncomingRequest(
      `http://localhost${req.url?.startsWith('/') ? req.url : '/'}`,
      { method: 'POST', headers: webHeaders(req), body: '', signal: gone.signal },
      { context, req, body },
    );
    const response = await entry.handler.fetch(request, { parsedBody: body });
    if (response.body && response.headers.get('content-type')?.startsWith('text/event-stream')) {
      const stream = { context, listens, seen: context };
      entry.streams.set(gone, stream);
      if (stopping && listens) gone.abort();
      // Changes that happened while the stream was being opened haven't been sent yet.
      if (listens) publish(entry, { ...missed, ...changeFor(gone, stream) });
      try {
        await pipe(response, res);
      } finally {
        entry.streams.delete(gone);
      }
      return;
    }
    const text = response.body ? writeMarked(await response.text()) : '';
    if (text === '') sendEmpty(res, response.status);
    else sendJson(res, response.status, text, response.status === 405 ? { allow: 'POST' } : undefined);
  }

  /**
   * What a client that starts to listen may have missed: it doesn't say when it last listed, and a client
   * disconnected by a restart is back within minutes.
   */
  function missedBy({ view, mode }: McpContext): ChangedLists {
    const { tools, ...others } = dependencies.listTimes.changedSince(view, Date.now() - reconnectWithinMs);
    return { ...others, ...(tools && (mode ?? 'direct') === 'direct' && { tools }) };
  }

  return {
    async handle(req: HttpRequest, res: HttpResponse, body: unknown, context: McpContext): Promise<void> {
      const mismatch = mirroredHeaderMismatch(dependencies, req, body, context);
      if (mismatch) {
        const { id } = objectOr(body);
        const text = `Bad Request: the request headers and body disagree: ${mismatch.body}`;
        sendJson(res, 400, rpcError(isRequestId(id) ? id : null, -32_020, text, { mismatch }));
        return;
      }
      const listens = objectOr(body)['method'] === 'subscriptions/listen';
      const { slug } = context.view.server;
      const missed = listens ? missedBy(context) : {};
      // A client that missed something gets its own handler, because the others already know.
      const alone = Object.keys(missed).length > 0 ? ` ${lateListeners++}` : '';
      const entry = handlerFor(slug, listens ? `listens ${toolFilterKey(context.caller)}${alone}` : '');
      entry.using++;
      try {
        await answer(entry, listens ? missed : null, req, res, body, context);
      } finally {
        if (--entry.using === 0 && listens) forget(entry);
      }
    },

    /** Notifies the listeners of a server of a change outside the registry. */
    announce(slug: string, change: ChangedLists): void {
      for (const entry of handlers.values()) if (entry.slug === slug) publish(entry, change);
    },

    /** Notifies all listeners of what changed for them. */
    refresh(): void {
      for (const entry of handlers.values()) {
        const changes = [...entry.streams].map(([gone, stream]) => changeFor(gone, stream));
        for (const { seen, listens } of entry.streams.values())
          if (listens) dependencies.listTimes.note(seen.view);
        publish(entry, {
          tools: changes.some(({ tools }) => tools),
          prompts: changes.some(({ prompts }) => prompts),
          resources: changes.some(({ resources }) => resources),
        });
      }
    },

    /** Ends the streams of clients that only listen, now and whenever one is opened; answers continue. */
    endListening(): void {
      stopping = true;
      for (const { streams } of handlers.values()) {
        for (const [gone, { listens }] of streams) if (listens) gone.abort();
      }
    },

    listeners: () =>
      [...handlers.values()].flatMap(({ streams }) => [...streams.values()]).filter(({ listens }) => listens)
        .length,

    async close(): Promise<void> {
      await Promise.all([...handlers.values()].map((entry) => entry.handler.close()));
      handlers.clear();
    },
  };
}

/**
 * What is wrong with the `Mcp-Param` headers of an otherwise valid call. A dialect that rewrites schemas shows no
 * mirrored parameters, so its clients aren't checked.
 */
function mirroredHeaderMismatch(
  dependencies: McpDependencies,
  req: HttpRequest,
  body: unknown,
  context: McpContext,
) {
  const { id, method, params } = (body ?? {}) as {
    id?: unknown;
    method?: unknown;
    params?: { name?: unknown; arguments?: unknown };
  };
  const name = params?.name;
  if (id === undefined || method !== 'tools/call' || typeof name !== 'string') return undefined;
  if (!standardHeadersAgree(req.headers, modernRevision, method, name)) return undefined;
  const { view, caller } = context;
  const native = (context.native ?? dependencies.native(view.server.slug))?.tools.get(name);
  if (!native && dialectOf(req, body, context).rules) return undefined;
  const schema = native
    ? native.definition.inputSchema
    : findCallable(view, caller, name)?.compiled.inputSchema;
  const declared = schema && paramHeadersOf(schema);
  return declared?.length ? paramHeaderMismatch(declared, params?.arguments, req.headers) : undefined;
}

function dialectOf(req: HttpRequest, body: unknown, context: McpContext) {
  return chooseDialect(
    dialectParameter(req),
    context.view.server.dialect,
    clientSide(req, body).client?.name,
  );
}

/** What a modern request says about its client. */
function clientSide(req: HttpRequest, body: unknown) {
  const meta = objectOr(objectOr(objectOr(body)['params'])['_meta']);
  return {
    client:
      clientFromDeclaration(meta[CLIENT_INFO_META_KEY]) ?? clientFromUserAgent(headerOf(req, 'user-agent')),
    surface: 'mcp' as const,
    headers: clientHeadersOf(req),
  };
}

function webHeaders(req: HttpRequest): Headers {
  const headers = new Headers();
  for (let i = 0; i + 1 < req.rawHeaders.length; i += 2) {
    const name = req.rawHeaders[i]!;
    if (name.toLowerCase() === 'content-length') continue;
    try {
      headers.append(name, req.rawHeaders[i + 1]!);
    } catch {
      // The protocol reads no value that the web's Headers rejects.
    }
  }
  return headers;
}

// The SDK passes on one event at a time.
function withMarked(event: Uint8Array): Uint8Array | string {
  const text = Buffer.from(event.buffer, event.byteOffset, event.byteLength).toString('utf8');
  const whole = writeMarked(text);
  return whole === text ? event : whole;
}

async function pipe(response: Response, res: HttpResponse): Promise<void> {
  if (res.destroyed) return void response.body?.cancel();
  res.writeHead(response.status, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  });
  res.flushHeaders();
  const reader = response.body!.getReader();
  res.once('close', () => void reader.cancel().catch(() => {}));
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (!res.write(withMarked(value)))
      await new Promise<void>((resolve) => res.once('drain', resolve).once('close', resolve));
  }
  res.end();
}
