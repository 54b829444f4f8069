import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { createAnswerCall } from '../../src/calls/answer-call.ts';
import { createCallMaker } from '../../src/calls/make-call.ts';
import type { Api } from '../../src/domain/api.ts';
import type { Caller } from '../../src/domain/call.ts';
import type { JsonSchema } from '../../src/domain/json-schema.ts';
import { defaultLimits } from '../../src/domain/limits.ts';
import type { Server } from '../../src/domain/server.ts';
import { annotationsForMethod } from '../../src/domain/tool.ts';
import type { Tool } from '../../src/domain/tool.ts';
import { createListCosts } from '../../src/listing/list-costs.ts';
import { countTokens } from '../../src/listing/tokens/count-tokens.ts';
import { createToolSearch } from '../../src/mcp/built-in/tool-search.ts';
import { createServingModes } from '../../src/mcp/modes/serving-modes.ts';
import { createMcpHandlerToLoad } from '../../src/mcp/load-handler.ts';
import type { McpHandlerOptions } from '../../src/mcp/handler.ts';
import type { Call, Outcome } from '../../src/pipeline/call.ts';
import type { ListedTool, ServerView } from '../../src/registry/snapshot.ts';
import { repliesInMemory } from './replies-in-memory.ts';
import { neverIdlesOut } from './servers/http-server.ts';

const api: Api = {
  id: 'api_1',
  slug: 'demo',
  name: 'Demo',
  baseUrl: 'http://demo.test',
  headers: {},
  auth: { kind: 'none' },
  limits: {},
  enabled: true,
  revision: 1,
  createdAtMs: 0,
  updatedAtMs: 0,
} as unknown as Api;

/** A tool as a server lists it, made by hand. */
export function listedTool(
  name: string,
  inputSchema: JsonSchema = { type: 'object', properties: {} },
  more: { outputSchema?: JsonSchema; description?: string; id?: string; title?: string } = {},
): ListedTool {
  const tool: Tool = {
    id: more.id ?? `tool_${name}`,
    apiId: api.id,
    name,
    ...(more.title !== undefined && { title: more.title }),
    description: more.description ?? `Does ${name}`,
    tags: [],
    annotations: annotationsForMethod('GET'),
    operation: { method: 'GET', path: `/${name}`, parameters: [] },
    reply: {},
    limits: {},
    enabled: true,
    revision: 1,
    createdAtMs: 0,
    updatedAtMs: 0,
  };
  return {
    name,
    description: tool.description,
    compiled: {
      tool,
      api,
      inputSchema,
      outputSchema: more.outputSchema ?? null,
      structure: () => ({ text: null, refusal: null }),
      limits: defaultLimits,
      apiRatePerMinute: 0,
      check: () => [],
      request: {
        method: 'GET',
        origin: 'http://demo.test',
        refusal: null,
        basePath: '',
        path: [],
        fixedQuery: '',
        headers: {},
        fileValues: null,
      },
    } as unknown as ListedTool['compiled'],
  };
}

/** A server with its tools, made by hand. */
export function serverView(
  slug: string,
  tools: readonly ListedTool[],
  more: Partial<Server> = {},
): ServerView {
  return {
    server: {
      id: `srv_${slug}`,
      slug,
      name: `Server ${slug}`,
      tools: [{ all: true }],
      overrides: {},
      policy: { kind: 'open' },
      ratePerMinute: 0,
      enabled: true,
      revision: 1,
      createdAtMs: 0,
      updatedAtMs: 0,
      ...more,
    },
    tools,
    byName: new Map(tools.map((tool) => [tool.name, tool])),
  };
}

/** Counts tokens in this thread; schemas of tests are short as they are. */
const countingHere = {
  count: async (texts: readonly string[]) => texts.map(countTokens),
  countEntries: async (entries: readonly string[]) => entries.map(countTokens),
};

export const anonymous: Caller = { id: 'anonymous', kind: 'anonymous', label: 'anonymous' };

export interface SurfaceOptions extends Partial<Omit<McpHandlerOptions, 'answerCall'>> {
  /** Makes up what becomes of a call. */
  readonly runCall?: (call: Call) => Promise<Outcome>;
  readonly views?: readonly ServerView[];
  /** Finds the caller from the request's `authorization` header; undefined when there is no access any more. */
  readonly callerOf?: (authorization: string | undefined) => Caller | undefined;
  /** Leaves it to the first request to load the surface. */
  readonly unloaded?: boolean;
}

/** The MCP surface alone on a real port, in front of a registry and a pipeline made by hand. */
export async function startSurface(options: SurfaceOptions = {}) {
  const views = new Map((options.views ?? []).map((view) => [view.server.slug, view]));
  const listeners = new Set<() => void>();
  const calls: Call[] = [];
  const runCall = async (call: Call): Promise<Outcome> => {
    calls.push(call);
    return options.runCall
      ? options.runCall(call)
      : {
          kind: 'done',
          status: 200,
          output: {
            content: [{ type: 'text', text: JSON.stringify({ tool: call.toolName, args: call.arguments }) }],
            structuredText: null,
          },
        };
  };
  const { replies = repliesInMemory(0) } = options;
  const handler = createMcpHandlerToLoad({
    publicUrl: () => 'http://gateway.test',
    calls: createCallMaker({ traced: false, now: options.now ?? Date.now }),
    modes: createServingModes(createListCosts(countingHere), 10_000),
    search: createToolSearch(),
    replies,
    listedView: (slug) => views.get(slug),
    onRegistryChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    log: pino({ level: 'silent' }),
    version: '0.0.0-test',
    sessionKey: new Uint8Array(32).fill(7),
    endedSessions: rememberEnded(),
    ...options,
    answerCall: createAnswerCall({
      run: async (call) => ({
        call,
        startedAtMs: 0,
        durationMs: 0,
        outcome: await runCall(call),
        args: null,
        request: null,
        reply: null,
        steps: [],
        read: null,
        held: null,
      }),
      fit: replies.budget.fit,
      record: () => {},
    }),
  });
  if (!options.unloaded) await handler.load();
  const http = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const slug = /^\/mcp\/([\w-]+)/.exec(req.url ?? '')?.[1] ?? '';
      const view = views.get(slug);
      if (!view) {
        res.writeHead(404).end();
        return;
      }
      const caller = options.callerOf?.(req.headers.authorization) ?? anonymous;
      const recheck = () => {
        const now = views.get(slug);
        const found = options.callerOf ? options.callerOf(req.headers.authorization) : anonymous;
        return now && found && { view: now, caller: found };
      };
      void handler.handle(req, res, Buffer.concat(chunks), { view, caller, recheck });
    });
  });
  neverIdlesOut(http);
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;

  return {
    origin,
    url: (slug: string) => `${origin}/mcp/${slug}`,
    calls,
    handler,
    publish(view: ServerView) {
      views.set(view.server.slug, view);
      for (const listener of listeners) listener();
    },
    /** Says that something changed that is no view, such as what a caller may do. */
    touch() {
      for (const listener of listeners) listener();
    },
    withdraw(slug: string) {
      views.delete(slug);
      for (const listener of listeners) listener();
    },
    async stop() {
      await handler.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

/** Ended sessions, kept by whoever holds this. */
export function rememberEnded() {
  const ended = new Set<string>();
  return { has: (id: string) => ended.has(id), add: async (id: string) => void ended.add(id) };
}

export type Surface = Awaited<ReturnType<typeof startSurface>>;

/** Posts one JSON body and reads the whole answer. */
export async function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    // oxlint-disable-next-line typescript/no-explicit-any
    json: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : undefined,
  };
}

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A request of revision 2026-07-28 with the headers it needs. */
export function modern(method: string, params: Record<string, unknown> = {}, id: string | number = 1) {
  const name = params['name'] ?? params['uri'];
  return {
    body: {
      jsonrpc: '2.0',
      id,
      method,
      params: { ...params, _meta: { ...envelope, ...(params['_meta'] as object) } },
    },
    headers: {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
    } as Record<string, string>,
  };
}
