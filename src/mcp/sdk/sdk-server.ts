import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  ProtocolError,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Logger } from 'pino';
import type { ClientName } from '../../domain/call.ts';
import type { ListMode } from '../../domain/server.ts';
import { objectOr } from '../../lib/json/plain-object.ts';
import {
  type ClientSide,
  type Era,
  type McpContext,
  clientFromDeclaration,
  supportsLinks,
  legacyRevisions,
  modernRevision,
} from '../context.ts';
import type { McpCore, Method, MethodName } from '../core/core.ts';
import { declaresLinks, type McpRequest } from '../core/request.ts';
import { RpcFault } from '../core/rpc-fault.ts';
import type { Dialect } from '../dialects/dialects.ts';
import type { NativeContext, NativeFeatures } from '../native.ts';
import type { ChangedLists } from '../sessions/list-changes.ts';
import type { ListTimes } from '../sessions/list-times.ts';
import { ProtocolServer } from './protocol-server.ts';
import type { RequestStates } from './request-state.ts';

/** What every transport needs, for any request. */
export interface McpDependencies {
  readonly core: McpCore;
  readonly log: Logger;
  readonly native: (slug: string) => NativeFeatures | undefined;
  readonly announce: (slug: string, change: ChangedLists) => void;
  readonly listTimes: ListTimes;
  readonly states: RequestStates;
}

/** One exchange: who is calling, on which surface, and what the transport supports. */
export interface ExchangeContext {
  readonly context: McpContext;
  readonly era: Era;
  readonly side: ClientSide;
  /** Whether list changes can reach this client. */
  readonly listChanged: boolean;
  /** Whether the client accepts a stream, so that it can receive progress before the result; true if absent. */
  readonly streams?: boolean;
  /** How tools are written for a client. */
  readonly dialect: (client: ClientName | null) => Dialect;
  /** The current mode, for an exchange that outlives changes of it; otherwise the context's mode is used. */
  readonly currentMode?: () => ListMode | Promise<ListMode>;
  /** The revision of a legacy client, if the transport knows it. */
  readonly revision?: string | undefined;
  /** State that outlives the exchange, if the era has sessions. */
  readonly subscriptions?: { add(uri: string): void; delete(uri: string): void };
}

/**
 * The SDK's protocol object for one exchange, as a transport of the core: for legacy streams, for sessions, and for
 * native features that ask the client something. Created for each exchange, so that callers share nothing.
 */
export function buildServer(dependencies: McpDependencies, exchange: ExchangeContext): Server {
  const { core } = dependencies;
  const { context, era, side } = exchange;
  const { slug } = context.view.server;

  const request = (client: ClientName | null, more: Partial<McpRequest> = {}): McpRequest => ({
    context,
    era,
    client,
    surface: side.surface,
    headers: side.headers,
    traceparent: side.headers?.['traceparent'],
    signal: neverGone,
    dialect: exchange.dialect(client),
    links: era === 'modern' || supportsLinks(exchange.revision, client),
    listChanged: exchange.listChanged,
    progress: null,
    ...(exchange.subscriptions && { subscriptions: exchange.subscriptions }),
    ...more,
  });

  const opening = request(side.client);
  const { implementation, capabilities, instructions } = core.introduction(opening);
  const server = new ProtocolServer(implementation, {
    capabilities,
    supportedProtocolVersions: [...(era === 'modern' ? [modernRevision] : []), ...legacyRevisions],
    ...(instructions !== undefined && { instructions }),
    cacheHints: { 'server/discover': core.cacheHints({ ...opening, era: 'modern' }) },
  });
  // The protocol object is not an event target.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  server.onerror = (error) => dependencies.log.debug({ slug, err: error }, 'mcp exchange reported an error');

  function requestOf(mcp: ServerContext): McpRequest {
    const { mcpReq } = mcp;
    const progressToken = exchange.streams === false ? undefined : mcpReq._meta?.progressToken;
    const client = side.client ?? introducedTo(server, mcp);
    return request(client, {
      traceparent: mcpReq._meta?.['traceparent'] ?? side.headers?.['traceparent'],
      signal: mcpReq.signal,
      links:
        era === 'modern' || supportsLinks(exchange.revision ?? server.getNegotiatedProtocolVersion(), client),
      progress:
        progressToken === undefined
          ? null
          : (progress, message, total) =>
              void mcpReq
                .notify({
                  method: 'notifications/progress',
                  params: { progressToken, progress, message, ...(total !== undefined && { total }) },
                })
                .catch(() => {}),
      // Asked once: a client that comes back without having connected gets the link as text.
      opensLinks:
        mcpReq.inputResponses === undefined &&
        declaresLinks(envelopeOf(mcp)?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities()),
      native: (name, args) => nativeContext(mcp, name, args),
    });
  }

  function nativeContext(mcp: ServerContext, name: string, args: unknown): NativeContext {
    const binding = {
      callerId: context.caller.id,
      serverId: context.view.server.id,
      method: mcp.mcpReq.method,
      name,
      arguments: args ?? undefined,
    };
    const returned = mcp.mcpReq.requestState<string>();
    const state = returned === undefined ? undefined : dependencies.states.read(returned, binding);
    if (returned !== undefined && !state) {
      throw new RpcFault(-32_602, 'Invalid or expired requestState');
    }
    return {
      mcp,
      era,
      announce: (change) => dependencies.announce(slug, change),
      ...(state && { state }),
      mintState: (value) => dependencies.states.mint(value, binding),
    };
  }

  /** The core's answer, with its faults converted to the SDK's own class. */
  async function answer<Result>(method: Method, params: unknown, of: McpRequest): Promise<Result> {
    try {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each method of the table returns the result of that method
      return (await method(objectOr(params), of)) as Result;
    } catch (thrown) {
      if (thrown instanceof RpcFault) throw new ProtocolError(thrown.code, thrown.message, thrown.data);
      throw thrown;
    }
  }

  const serve = (name: Exclude<MethodName, 'initialize' | 'ping' | 'server/discover' | 'tools/list'>) =>
    server.setRequestHandler(name, ({ params }, mcp) => {
      const sent = server.sentArguments(mcp);
      return answer(core.methods[name], sent ? { ...params, arguments: sent } : params, requestOf(mcp));
    });

  server.setRequestHandler('tools/list', async ({ params }, mcp) => {
    const { currentMode } = exchange;
    const asked = requestOf(mcp);
    const mode = currentMode ? await currentMode() : context.mode;
    // The context of a long-lived connection has getters for the current state, which a copy would freeze.
    const { view, caller } = context;
    return answer(core.methods['tools/list'], params, { ...asked, context: { view, caller, mode } });
  });
  serve('tools/call');
  if (capabilities.prompts) {
    serve('prompts/list');
    serve('prompts/get');
  }
  if (capabilities.resources) {
    serve('resources/list');
    serve('resources/templates/list');
    serve('resources/read');
    if (capabilities.resources.subscribe && era === 'legacy') {
      serve('resources/subscribe');
      serve('resources/unsubscribe');
    }
  }
  if (capabilities.completions) serve('completion/complete');
  return server;
}

const neverGone = { aborted: false } as const;

function envelopeOf(mcp: ServerContext): Record<string, unknown> | undefined {
  return mcp.mcpReq.envelope;
}

/** The client's own name on this connection, if the transport doesn't know it yet. */
function introducedTo(server: Server, mcp: ServerContext): ClientName | null {
  return (
    clientFromDeclaration(envelopeOf(mcp)?.[CLIENT_INFO_META_KEY]) ??
    clientFromDeclaration(server.getClientVersion())
  );
}
