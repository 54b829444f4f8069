import { CLIENT_INFO_META_KEY, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type {
  CallToolResult,
  CompleteResult,
  ReadResourceResult,
  Server,
  ServerContext,
} from '@modelcontextprotocol/server';
import type { Logger } from 'pino';
import type { Caller, ClientName } from '../../domain/call.ts';
import { type FollowUp, noFollowUp } from '../../domain/pages/follow-up.ts';
import type { ServerView } from '../../registry/snapshot.ts';
import type { CallMaker } from '../../calls/make-call.ts';
import { refusedTool } from '../../calls/refused-calls.ts';
import type { ListMode } from '../../domain/server.ts';
import type { Call, CompiledTool, Outcome, RunCall } from '../../pipeline/types.ts';
import type { Replies } from '../../replies/open-replies.ts';
import { type BuiltInAnswer, type BuiltInTools, schemaHint } from '../built-in/built-in-tools.ts';
import {
  builtInDefinitions,
  codeDefinitions,
  codeInstructions,
  fileDefinitions,
  readReplyDefinition,
  searchInstructions,
} from '../built-in/definitions.ts';
import { readReplyResource } from '../built-in/read-reply.ts';
import { directFollowUp, hasOwnArguments, takeOwnArguments } from '../built-in/own-arguments.ts';
import type { ClientSide, Era, McpContext } from '../context.ts';
import { clientFromDeclaration, knowsLinks, legacyRevisions, modernRevision } from '../context.ts';
import type { Dialect } from '../dialects/dialects.ts';
import { cacheScopeOf, capabilitiesOf, directInstructions, implementationOf } from '../stdio/greeting.ts';
import type { ChangedLists } from '../sessions/list-changes.ts';
import type { ListTimes } from '../sessions/list-times.ts';
import type { NativeContext, NativeFeatures } from '../native.ts';
import { fillPrompt, promptDefinition } from '../operator/operator-prompts.ts';
import {
  findResource,
  isTemplate,
  resourceDefinition,
  resourcesFor,
  templateDefinition,
  templateValues,
} from '../operator/operator-resources.ts';
import { ProtocolServer } from './protocol-server.ts';
import { noResultText, outcomeResult, promisesStructure, withoutLinks } from '../render/render-outcome.ts';
import type { RequestStates } from './request-state.ts';
import { ownName, shownTools } from '../render/render-tools.ts';
import { suggestTool } from '../render/suggest-tool.ts';
import { reportPages, reportProgress } from '../progress.ts';
import { page } from '../render/list-page.ts';

/** What every protocol object needs, whichever request it serves. */
export interface SdkDependencies {
  readonly calls: CallMaker;
  readonly runCall: RunCall;
  readonly builtIn: BuiltInTools;
  readonly replies: Replies;
  readonly version: string;
  /** The address that pictures are served below. */
  readonly iconsAt: () => string;
  readonly log: Logger;
  readonly native: (slug: string) => NativeFeatures | undefined;
  readonly announce: (slug: string, change: ChangedLists) => void;
  readonly listTimes: ListTimes;
  /** Whether a call comes to nothing only because the caller's access token lacks a scope. */
  readonly hidesBehindScope: (view: ServerView, caller: Caller, name: string, args: unknown) => boolean;
  readonly states: RequestStates;
}

/** One exchange: who asks, through what, and what the transport can do. */
export interface ExchangeContext {
  readonly context: McpContext;
  readonly era: Era;
  readonly side: ClientSide;
  /** Whether a change of lists can reach this client. */
  readonly listChanged: boolean;
  /** Whether the client takes a stream, and so can hear of progress before the result; true when absent. */
  readonly streams?: boolean;
  /** Whether the answer is for this caller alone, where that is not told by the tools the caller may call. */
  readonly filtered?: boolean;
  /** How tools are written for a client. */
  readonly dialect: (client: ClientName | null) => Dialect;
  /** How tools are shown now, where an exchange outlives that; else it is as its context says. */
  readonly currentMode?: () => ListMode | Promise<ListMode>;
  /** The revision that a legacy client speaks, where the transport knows it. */
  readonly revision?: string | undefined;
  /** Lists tools that stand for operations only. */
  readonly withoutOwnTools?: boolean;
  /** Whose list it is, where it is made in parts for callers who may call only some tools. */
  readonly ownToolsFor?: Caller;
  /** State that outlives the exchange, where the era has sessions. */
  readonly subscriptions?: { add(uri: string): void; delete(uri: string): void };
}

/** Builds the protocol object for one exchange; a new one each time, so that callers share nothing. */
export function buildServer(dependencies: SdkDependencies, exchange: ExchangeContext): Server {
  const { context, era, side } = exchange;
  const { caller } = context;
  const { server: published } = context.view;
  const { slug } = published;
  const native = dependencies.native(slug);
  const cacheScope = cacheScopeOf(published, exchange.filtered ?? caller.toolIds !== undefined);
  const cached = era === 'modern' ? { ttlMs: 0, cacheScope } : {};

  const instructions =
    context.mode === 'search'
      ? searchInstructions(context.view, caller)
      : context.mode === 'code'
        ? codeInstructions(context.view, caller)
        : directInstructions(published);

  // Over stdio there is no address that a client could reach.
  const iconsAt = side.surface === 'stdio' ? null : dependencies.iconsAt();
  const server = new ProtocolServer(implementationOf(published, dependencies.version, iconsAt), {
    capabilities: capabilitiesOf(published, native, exchange.listChanged),
    supportedProtocolVersions: [...(era === 'modern' ? [modernRevision] : []), ...legacyRevisions],
    ...(instructions !== undefined && { instructions }),
    cacheHints: { 'server/discover': { ttlMs: 0, cacheScope } },
  });
  // The protocol object is no event target.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  server.onerror = (error) => dependencies.log.debug({ slug, err: error }, 'mcp exchange reported an error');

  const nativeContext = (mcp: ServerContext, name: string, args: unknown): NativeContext => {
    const binding = {
      callerId: caller.id,
      serverId: context.view.server.id,
      method: mcp.mcpReq.method,
      name,
      arguments: args,
    };
    const returned = mcp.mcpReq.requestState<string>();
    const state = returned === undefined ? undefined : dependencies.states.read(returned, binding);
    if (returned !== undefined && !state) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState');
    }
    return {
      mcp,
      era,
      announce: (change) => dependencies.announce(slug, change),
      ...(state && { state }),
      mintState: (value) => dependencies.states.mint(value, binding),
    };
  };

  const clientOf = (mcp: ServerContext) => side.client ?? introducedTo(server, mcp);
  // Whoever asked for progress hears of each page.
  const reported = (followUp: FollowUp, mcp: ServerContext): FollowUp =>
    followUp.all && exchange.streams !== false ? { ...followUp, report: reportPages(mcp) } : followUp;
  const makeCall = (
    toolName: string,
    args: unknown,
    mcp: ServerContext,
    followUp: FollowUp = noFollowUp,
  ): Call | undefined =>
    dependencies.calls.make({
      view: context.view,
      toolName,
      caller,
      client: clientOf(mcp),
      surface: side.surface,
      arguments: args,
      signal: mcp.mcpReq.signal,
      clientHeaders: side.headers,
      traceparent: mcp.mcpReq._meta?.['traceparent'] ?? side.headers?.['traceparent'],
      followUp: reported(followUp, mcp),
    });

  const refuse = (toolName: string, args: unknown, mcp: ServerContext): void =>
    dependencies.calls.refuse(
      refusedTool({
        view: context.view,
        toolName,
        caller,
        client: clientOf(mcp),
        surface: side.surface,
        arguments: args,
      }),
    );

  const run = async (call: Call, mcp: ServerContext): Promise<Outcome> => {
    const isTold = exchange.streams !== false && !call.followUp.all;
    const stopProgress = isTold ? reportProgress(mcp) : () => {};
    try {
      return await dependencies.runCall(call);
    } finally {
      stopProgress();
    }
  };

  const runScript = async (
    opened: Extract<BuiltInAnswer, { readonly run: unknown }>,
    mcp: ServerContext,
  ): Promise<CallToolResult> => {
    let what = 'Running the script';
    const stopProgress =
      exchange.streams === false
        ? () => {}
        : reportProgress(mcp, (seconds) => `${what}, ${seconds} s so far`);
    try {
      return await opened.run({
        client: clientOf(mcp),
        surface: side.surface,
        signal: mcp.mcpReq.signal,
        clientHeaders: side.headers,
        traceparent: mcp.mcpReq._meta?.['traceparent'] ?? side.headers?.['traceparent'],
        onCall: ({ path }, made) => {
          what = `Call ${made}: ${path}`;
        },
      });
    } finally {
      stopProgress();
    }
  };

  const linked = () =>
    era === 'modern' || knowsLinks(exchange.revision ?? server.getNegotiatedProtocolVersion());
  const runAndRender = async (
    call: Call,
    mcp: ServerContext,
    select?: string,
    hint?: (outcome: Outcome, tool: CompiledTool) => string,
  ) => {
    const { tool } = call;
    const fitted = await dependencies.replies.budget.fit(call, await run(call, mcp), select);
    const outcome = linked() ? fitted : withoutLinks(fitted);
    return server.projectCallToolResult(
      outcomeResult(outcome, promisesStructure(context.view.server, tool), hint?.(outcome, tool)),
      tool.outputSchema ?? undefined,
    );
  };

  // Where replies are cut, the rest of them can be read.
  const ownDefinitions = () => [
    ...(dependencies.replies.budget.cutsOn(context.view.server) ? [readReplyDefinition] : []),
    ...fileDefinitions(context.view, exchange.ownToolsFor ?? caller, dependencies.replies),
  ];

  server.setRequestHandler('tools/list', async (request, mcp) => {
    const mode = exchange.currentMode ? await exchange.currentMode() : context.mode;
    const tools = [
      ...(native ? [...native.tools.values()].map((tool) => tool.definition) : []),
      ...(mode === 'search'
        ? [...builtInDefinitions, ...fileDefinitions(context.view, caller, dependencies.replies)]
        : mode === 'code'
          ? [
              ...codeDefinitions(context.view.server),
              ...fileDefinitions(context.view, caller, dependencies.replies),
            ]
          : [
              ...(exchange.withoutOwnTools ? [] : ownDefinitions()),
              ...shownTools(context.view, caller, exchange.dialect(clientOf(mcp))),
            ]),
    ];
    return {
      ...page(tools, 'tools', nameOf, request.params?.cursor, context.view.server.pageSize),
      ...cached,
    };
  });

  server.setRequestHandler('tools/call', async (request, mcp) => {
    const { name } = request.params;
    const args = server.sentArguments(mcp) ?? request.params.arguments;
    const own = native?.tools.get(name);
    if (own) return own.call(args ?? {}, nativeContext(mcp, name, args));
    const dialect = exchange.dialect(clientOf(mcp));
    const toolName = ownName(context.view, name, dialect);
    const call = makeCall(toolName, args ?? {}, mcp, directFollowUp(context.view.server));
    if (call && hasOwnArguments(context.view.server, call.tool, args)) {
      const read = takeOwnArguments(context.view.server, call.tool, args);
      if ('refused' in read) return server.projectCallToolResult(read.refused, undefined);
      return runAndRender(makeCall(toolName, read.rest, mcp, read.followUp) ?? call, mcp, read.select);
    }
    if (call) return runAndRender(call, mcp);
    const opened = dependencies.builtIn.open(name, args ?? {}, context.view, caller, context.mode);
    if (opened && 'run' in opened)
      return server.projectCallToolResult(await runScript(opened, mcp), undefined);
    if (opened && 'answer' in opened) {
      if (opened.unknownTool !== undefined) refuse(opened.unknownTool, args, mcp);
      return server.projectCallToolResult(await opened.answer, undefined);
    }
    const through = opened && makeCall(opened.toolName, opened.arguments, mcp, opened.followUp);
    if (through) return runAndRender(through, mcp, opened.select, schemaHint);
    refuse(opened?.toolName ?? toolName, args, mcp);
    const meant = suggestTool(context.view, caller, name, dialect);
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `Unknown tool: ${name}${meant === '' ? '' : `.${meant}`}`,
    );
  });

  const offered = server.getCapabilities();
  if (offered.prompts) {
    server.setRequestHandler('prompts/list', (request) => {
      const prompts = [
        ...(native ? [...native.prompts.values()].map((prompt) => prompt.definition) : []),
        ...(context.view.server.prompts ?? []).map(promptDefinition),
      ];
      return { ...page(prompts, 'prompts', nameOf, request.params?.cursor), ...cached };
    });
    server.setRequestHandler('prompts/get', async (request, mcp) => {
      const { name, arguments: args } = request.params;
      const own = native?.prompts.get(name);
      return own
        ? own.get(args ?? {}, nativeContext(mcp, name, args))
        : fillPrompt(context.view.server, name, args ?? {});
    });
  }

  if (offered.resources) {
    const readable = () => resourcesFor(context.view, caller);
    server.setRequestHandler('resources/list', (request) => {
      const resources = [
        ...(native?.resources.list ?? []),
        ...readable()
          .filter((resource) => !isTemplate(resource))
          .map(resourceDefinition),
      ];
      return { ...page(resources, 'resources', ({ uri }) => uri, request.params?.cursor), ...cached };
    });
    server.setRequestHandler('resources/templates/list', (request) => {
      const templates = [
        ...(native?.resources.templates ?? []),
        ...readable().filter(isTemplate).map(templateDefinition),
      ];
      return {
        ...page(templates, 'resourceTemplates', ({ uriTemplate }) => uriTemplate, request.params?.cursor),
        ...cached,
      };
    });
    server.setRequestHandler('resources/read', async (request, mcp) => {
      const { uri } = request.params;
      const own = await native?.resources.read(uri, nativeContext(mcp, uri, null));
      if (own) return { ...own, ...cached };
      const kept = await readReplyResource(dependencies.replies, context.view, caller, uri);
      if (kept) return { ...kept, ...cached, ...(era === 'modern' && { cacheScope: 'private' as const }) };
      const found = findResource(context.view, caller, uri);
      const mimeType = found?.resource.mimeType;
      if (found && 'text' in found)
        return { contents: [{ uri, mimeType: mimeType ?? 'text/plain', text: found.text }], ...cached };
      const call = found && makeCall(found.tool.name, found.args, mcp);
      if (!call)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Resource not found: ${uri}`, { uri });
      const outcome = await run(call, mcp);
      if (outcome.kind !== 'done') {
        throw new ProtocolError(
          isAskedWrong(outcome) ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError,
          noResultText(outcome),
        );
      }
      // Words beside a file are for those who were not looking for one.
      const { content } = outcome.output;
      const files = content.filter((part) => part.type !== 'text');
      const contents = (files.length > 0 ? files : content).flatMap(
        (part): ReadResourceResult['contents'] => {
          switch (part.type) {
            case 'text':
              return [{ uri, ...(mimeType !== undefined && { mimeType }), text: part.text }];
            case 'resource':
              return [{ ...part.resource, uri }];
            case 'resource_link':
              return [];
            default:
              return [{ uri, mimeType: part.mimeType, blob: part.data }];
          }
        },
      );
      // What an API answers may depend on whose credential or headers went with the call.
      return { contents, ...cached, ...(era === 'modern' && { cacheScope: 'private' as const }) };
    });
    if (offered.resources.subscribe && era === 'legacy') {
      server.setRequestHandler('resources/subscribe', (request) => {
        exchange.subscriptions?.add(request.params.uri);
        return {};
      });
      server.setRequestHandler('resources/unsubscribe', (request) => {
        exchange.subscriptions?.delete(request.params.uri);
        return {};
      });
    }
  }

  if (offered.completions) {
    server.setRequestHandler('completion/complete', (request) => {
      const { ref, argument } = request.params;
      const own = native?.complete?.(ref, argument);
      if (own) return own;
      if (ref.type === 'ref/prompt') {
        const prompt = context.view.server.prompts?.find((candidate) => candidate.name === ref.name);
        if (!prompt && !native?.prompts.has(ref.name)) {
          throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Prompt ${ref.name} not found`);
        }
        return completion(
          prompt?.arguments.find((one) => one.name === argument.name)?.values,
          argument.value,
        );
      }
      return completion(templateValues(context.view, caller, ref.uri, argument.name), argument.value);
    });
  }
  return server;
}

function isAskedWrong(outcome: Outcome): boolean {
  return (
    outcome.kind === 'failed' && outcome.error.fault === 'caller' && outcome.error.retry === 'after-change'
  );
}

/** The client as it named itself on this connection, where no transport has found out before. */
function introducedTo(server: Server, mcp: ServerContext): ClientName | null {
  const envelope = mcp.mcpReq.envelope as Record<string, unknown> | undefined;
  return (
    clientFromDeclaration(envelope?.[CLIENT_INFO_META_KEY]) ??
    clientFromDeclaration(server.getClientVersion())
  );
}

function completion(values: readonly string[] | undefined, typed: string): CompleteResult {
  const wanted = typed.toLowerCase();
  const fitting = (values ?? []).filter((value) => value.toLowerCase().startsWith(wanted));
  return {
    completion: { values: fitting.slice(0, 100), total: fitting.length, hasMore: fitting.length > 100 },
  };
}

const nameOf = ({ name }: { readonly name: string }) => name;
