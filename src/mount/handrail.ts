import { randomBytes } from 'node:crypto';
import type { CodeRuns } from '../code/code-runs.ts';
import { callDefaults } from '../domain/call-defaults.ts';
import type { Caller } from '../domain/call.ts';
import type { ImportNote } from '../domain/description.ts';
import { mountErrors } from '../domain/error-messages/mount.ts';
import { toHandrailError } from '../domain/errors.ts';
import type { Server, ServerMode } from '../domain/server.ts';
import { createCloseStack } from '../lib/close-stack.ts';
import type { HttpRequest, HttpResponse } from '../lib/http-exchange.ts';
import { createListCosts } from '../listing/list-costs.ts';
import { rpcError, sendJson } from '../mcp/answer.ts';
import { createScriptLookUps } from '../mcp/built-in/script-look-ups.ts';
import { createToolSearch } from '../mcp/built-in/tool-search.ts';
import { createMcpHandler } from '../mcp/handler.ts';
import type { NativeFeatures } from '../mcp/native.ts';
import { createServingModes } from '../mcp/modes/serving-modes.ts';
import { createLookUpLimit } from '../upstream/policies/rate-limit.ts';
import { version } from '../version.ts';
import type { CallableTool } from './call-tool.ts';
import type { CodeMode } from './code.ts';
import { type DocumentSource, readHostDocument } from './host-document.ts';
import { callerOf, type HostContext } from './host.ts';
import { hostLog, type MountLog } from './host-log.ts';
import { type HostTool, nativeTools } from './host-tools.ts';
import { importDocument, type ImportDocumentOptions } from './import-document.ts';
import {
  fastifyPlugin,
  type FastifyPlugin,
  type NodeRequest,
  nodeBody,
  type NodeResponse,
} from './node-side.ts';
import {
  estimating,
  infoOf,
  loopHeader,
  openPipeline,
  type PipelineOptions,
  type ToolInfo,
} from './open-pipeline.ts';
import { readBody, readWebRequest, WebResponse } from './web-exchange.ts';

export type { CallRecord } from '../domain/call.ts';
export { HandrailError, type ErrorCode } from '../domain/errors.ts';
export type {
  CallableTool,
  DocumentSource,
  HostContext,
  HostTool,
  ImportDocumentOptions,
  MountLog,
  ToolInfo,
};
export type { HostToolContext, HostToolResult } from './host-tools.ts';
export type { HostCall, HostFetch, MountLimits, PipelineOptions, ToolChanges } from './open-pipeline.ts';
export type { FastifyPlugin, NodeRequest, NodeResponse };

/** Options of `handrail`. */
export interface MountOptions extends PipelineOptions, ImportDocumentOptions {
  /**
   * The app's OpenAPI or Swagger document: an object, its text, the path where the app serves it (such as
   * `/openapi.json`), or a function that returns one of these.
   */
  readonly document: DocumentSource;
  /** How tools are shown: each, found by search, used from code, or decided by the size of the list; `auto` by default. */
  readonly mode?: ServerMode;
  /** Instructions for models, sent when they connect. */
  readonly instructions?: string;
  /** Tools in code, by name; listed before the others. */
  readonly native?: Readonly<Record<string, HostTool>>;
  /** Which tools a caller may see and call, by what the app knows of the request; all by default. */
  readonly allow?: (tool: ToolInfo, host: HostContext) => boolean;
  /** A page where people try the tools, at `explorer` below the path of the MCP endpoint. */
  readonly explorer?: boolean;
  /** Runs scripts against the tools: `code()` of `handrail/mount/code`. */
  readonly code?: CodeMode;
  /** Origins of pages that may call the endpoint, besides its own. */
  readonly allowedOrigins?: readonly string[];
  /** More fields of the server, as the gateway has them: prompts, the dialect, arguments that tools get. */
  readonly server?: Partial<
    Pick<
      Server,
      | 'description'
      | 'dialect'
      | 'prompts'
      | 'selectArgument'
      | 'pageArguments'
      | 'listOutputSchemas'
      | 'ttlMs'
      | 'piiRules'
    >
  >;
  /** Where trouble goes that no caller hears of; `console` by default. */
  readonly log?: MountLog;
}

/** An app's tools as an MCP endpoint. */
export interface Handrail {
  /** Answers a web-standard request; never rejects. `host` is what the app knows about who is calling. */
  fetch(request: Request, host?: HostContext): Promise<Response>;
  /** The same for Node's request and response, as Express and NestJS have them; a body that was parsed is used. */
  node(req: NodeRequest, res: NodeResponse, host?: HostContext): Promise<void>;
  /** The same as a Fastify plugin: `app.register(mcp.fastify, { path: '/mcp' })`. */
  readonly fastify: FastifyPlugin;
  /** The tools as they are now. */
  tools(): readonly CallableTool[];
  /** What was read differently than the document says, or left out. */
  notes(): readonly ImportNote[];
  /** Reads the document again; connected clients hear of what changed. */
  refresh(): Promise<void>;
  /** Ends open streams and frees everything; no handle is left. */
  close(): Promise<void>;
}

/** Turns the routes of an app into MCP tools that are called inside the app's own process. */
export async function handrail(options: MountOptions): Promise<Handrail> {
  checkOptions(options);
  const { onClose, closeAll } = createCloseStack();
  try {
    return await open(options, onClose, closeAll);
  } catch (error) {
    await closeAll().catch(() => {});
    throw error;
  }
}

type CloseStack = ReturnType<typeof createCloseStack>;

async function open(
  options: MountOptions,
  onClose: CloseStack['onClose'],
  closeAll: CloseStack['closeAll'],
): Promise<Handrail> {
  const { fetch, limits = {}, mode = 'auto', instructions, allow, code, explorer = false } = options;
  const log = hostLog(options.log ?? console);
  const now = Date.now;
  const id = randomBytes(9).toString('base64url');
  const read = () => readHostDocument(options.document, fetch);
  let imported = await importDocument(await read(), options);
  let isClosed = false;
  const listeners = new Set<() => void>();
  let runs: CodeRuns | undefined;

  const pipeline = openPipeline(imported, {
    ...options,
    server: {
      ...options.server,
      mode,
      ...(instructions !== undefined && { instructions }),
      // Without an engine for scripts there is no such mode to ask for.
      ...(code === undefined && { clientModes: ['direct', 'search'] }),
    },
    // Recognizes a request that a tool sends back here, directly or through another endpoint.
    viaHeader: ({ clientHeaders }) => [clientHeaders?.[loopHeader] ?? [], id].flat().join(' '),
    log,
    now,
    onClose,
  });
  const { calls, answerCall, replies, view } = pipeline;
  const search = createToolSearch({ snapshot: pipeline.snapshot });
  const builtInWatch = { admit: createLookUpLimit(now, null), count: () => {} };
  const listedView = (slug: string) => (slug === view().server.slug ? view() : undefined);
  if (code !== undefined) {
    runs = code.open({
      calls,
      answerCall,
      budget: replies.budget,
      lookUps: createScriptLookUps(search, replies, builtInWatch),
      listedView,
      record: pipeline.record,
      keepsContents: options.recordContents === true,
      now,
      onClose,
    });
  }
  const runCode = runs?.run;
  const native = nativeTools(options.native ?? {}, log);
  const mcp = createMcpHandler({
    calls,
    answerCall,
    modes: createServingModes(createListCosts(estimating), limits.listBudget ?? callDefaults.listBudget),
    search,
    builtInWatch,
    replies,
    ...(runCode && { runCode }),
    listedView,
    onRegistryChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    log: log.pino,
    version,
    publicUrl: () => '',
    sessionKey: randomBytes(32),
    endedSessions: endedInMemory(now),
    now,
  });
  onClose(() => mcp.close());

  function callerFor(req: HttpRequest, host: HostContext | undefined): Caller {
    const toolIds =
      allow &&
      new Set(
        view()
          .tools.filter(({ name, description, compiled }) =>
            allow({ ...infoOf(compiled.tool), name, description }, host ?? {}),
          )
          .map(({ compiled }) => compiled.tool.id),
      );
    return callerOf(host, req.headers, pipeline.forward, toolIds);
  }

  const origins = new Set(options.allowedOrigins?.map((origin) => origin.toLowerCase()));

  /** Rejects what a page of another site, or the app itself, must not send. */
  function guard(req: HttpRequest, ownHost: string | undefined): void {
    if (isClosed) throw mountErrors.closed();
    const { origin, 'content-type': type } = req.headers;
    if (
      String(req.headers[loopHeader] ?? '')
        .split(' ')
        .includes(id)
    )
      throw mountErrors.loop();
    if (origin !== undefined && !origins.has(origin.toLowerCase()) && hostIn(origin) !== ownHost)
      throw mountErrors.originNotAllowed({ origin: origin.slice(0, 200) });
    if (req.method === 'POST' && !/^application\/json\s*(?:;|$)/i.test(type ?? ''))
      throw mountErrors.bodyNotJson();
  }

  async function serve(
    req: HttpRequest,
    res: HttpResponse,
    ownHost: string | undefined,
    body: () => Promise<Uint8Array | null | 'too large'>,
    host: HostContext | undefined,
  ): Promise<void> {
    try {
      guard(req, ownHost);
      const content = req.method === 'POST' ? await body() : null;
      if (content === 'too large') throw mountErrors.bodyTooLarge({ maxBytes: maxBodyBytes });
      const caller = callerFor(req, host);
      const features: { native?: NativeFeatures } = native === null ? {} : { native: native(host ?? {}) };
      await mcp.handle(req, res, content, {
        view: view(),
        caller,
        ...features,
        recheck: () => (isClosed ? undefined : { view: view(), caller: callerFor(req, host) }),
      });
    } catch (thrown) {
      refuse(res, thrown);
    }
  }

  function refuse(res: HttpResponse, thrown: unknown): void {
    const error = toHandrailError(thrown);
    if (error.code === 'internal') log.error({ err: error.cause }, 'an MCP request failed');
    sendJson(res, error.status, rpcError(null, error.code === 'internal' ? -32_603 : -32_600, error.message));
  }

  const maxBodyBytes = limits.maxBodyBytes ?? callDefaults.maxBodyBytes;
  const page = explorer
    ? await import('./explorer.ts').then(({ openExplorer }) =>
        openExplorer({ calls, answerCall, search, replies, builtInWatch, runCode, log: log.pino }, view),
      )
    : null;

  async function answer(request: Request, host: HostContext | undefined): Promise<Response> {
    const req = readWebRequest(request);
    const ownHost = request.headers.get('host') ?? new URL(request.url).host;
    const prefix = page?.prefixOf(request);
    if (page && prefix !== undefined) {
      try {
        guard({ ...req, method: 'GET' }, ownHost);
        return await page.serve(request, prefix, callerFor(req, host));
      } catch (thrown) {
        const error = toHandrailError(thrown);
        return Response.json({ error: error.message }, { status: error.status });
      }
    }
    const res = new WebResponse(request);
    await Promise.race([
      res.response,
      serve(req, res, ownHost, () => readBody(request.body, maxBodyBytes), host),
    ]);
    return res.response;
  }

  const mounted: Handrail = {
    async fetch(request, host) {
      try {
        return await answer(request, host);
      } catch (err) {
        log.error({ err }, 'an MCP request failed');
        return Response.json(
          { jsonrpc: '2.0', id: null, error: { code: -32_603, message: 'Internal error' } },
          { status: 500 },
        );
      }
    },
    async node(req, res, host) {
      if (page && page.isBelow(req.originalUrl ?? req.url ?? '/')) {
        await page.serveNode(req, res, (request) => mounted.fetch(request, host));
        return;
      }
      await serve(req, res, req.headers.host, () => nodeBody(req, maxBodyBytes), host);
    },
    fastify: fastifyPlugin((...exchange) => mounted.node(...exchange)),
    tools: () =>
      view().tools.map(({ name, description, compiled }) => ({
        ...infoOf(compiled.tool),
        name,
        description,
        inputSchema: compiled.inputSchema,
        outputSchema: compiled.outputSchema,
      })),
    notes: () => imported.notes,
    async refresh() {
      if (isClosed) throw mountErrors.closed();
      const next = await importDocument(await read(), options, imported);
      pipeline.replace(next);
      imported = next;
      for (const listener of listeners) listener();
    },
    async close() {
      isClosed = true;
      mcp.endListening();
      await closeAll();
    },
  };
  return mounted;
}

function checkOptions({ document, fetch, mode, code }: Partial<MountOptions>): void {
  if (document === undefined || document === null) throw mountErrors.documentMissing();
  if (typeof fetch !== 'function') throw mountErrors.fetchMissing();
  if (mode === 'code' && code === undefined) throw mountErrors.codeMissing();
}

function hostIn(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

const maxEnded = 10_000;

/** Sessions that clients ended, for one process: they end with it anyway. */
function endedInMemory(now: () => number) {
  const ended = new Map<string, number>();
  return {
    has: (id: string) => ended.has(id),
    async add(id: string, expiresAtMs: number) {
      if (ended.size >= maxEnded)
        for (const [one, untilMs] of ended) if (untilMs <= now() || ended.size >= maxEnded) ended.delete(one);
      ended.set(id, expiresAtMs);
    },
  };
}
