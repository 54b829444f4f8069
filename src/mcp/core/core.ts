import type {
  CallToolResult,
  CompleteResult,
  GetPromptResult,
  InputRequiredResult,
  ReadResourceResult,
  Tool as McpTool,
} from '@modelcontextprotocol/server';
import { isObject, objectOr, type PlainObject, textOr } from '../../lib/json/plain-object.ts';
import { toolsFor } from '../../registry/callable-tools.ts';
import type { Surface } from '../../domain/call.ts';
import type { Server } from '../../domain/server.ts';
import type { ListedTool } from '../../registry/snapshot.ts';
import type { Replies } from '../../replies/open-replies.ts';
import {
  codeInstructions,
  inDialect,
  listedDefinitions,
  searchInstructions,
} from '../built-in/definitions.ts';
import type { NativeContext } from '../native.ts';
import { fillPrompt, promptDefinition } from '../operator/operator-prompts.ts';
import {
  findResource,
  isTemplate,
  resourceDefinition,
  resourcesFor,
  templateDefinition,
  templateValues,
} from '../operator/operator-resources.ts';
import { page, shownTools } from '../render/render-tools.ts';
import { suggestTool } from '../render/suggest-tool.ts';
import { noResultText } from '../../pipeline/reply/errors/no-result-text.ts';
import { resultObject } from './call-result.ts';
import { type CallToolDependencies, createCallTool, isBadRequest, whileReporting } from './call-tool.ts';
import {
  cacheScopeOf,
  capabilitiesOf,
  directInstructions,
  discoverResult,
  implementationOf,
  initializeResult,
  type Introduction,
} from './introduction.ts';
import { type McpRequest } from './request.ts';
import { internalError, invalidParams, RpcFault } from './rpc-fault.ts';

/** What the core needs, whatever transport a request arrived on. */
export interface CoreDependencies extends CallToolDependencies {
  readonly replies: Pick<Replies, 'budget' | 'links'>;
  /** A kept reply as a resource; undefined if the URI is not one of this caller's. */
  readonly readKept: (request: McpRequest, uri: string) => Promise<ReadResourceResult | undefined>;
  readonly version: string;
  /** The icons of a server that a client of this surface can load. */
  readonly iconsFor: (server: Server, surface: Surface) => NonNullable<Server['icons']>;
}

/** Answers one method. Throws an `RpcFault` to answer with an error. */
export type Method = (params: PlainObject, request: McpRequest) => object | Promise<object>;

/** The methods that the core answers. */
export const methodNames = [
  'initialize',
  'server/discover',
  'ping',
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'completion/complete',
] as const;

export type MethodName = (typeof methodNames)[number];

/**
 * The MCP surface as one table of methods. Transports turn bytes into requests for it, and its results into bytes.
 */
export function createMcpCore(dependencies: CoreDependencies) {
  const { replies, version } = dependencies;
  const callTool = createCallTool(dependencies);
  const nativeOf = ({ context }: McpRequest) =>
    context.native ?? dependencies.native(context.view.server.slug);

  function cacheScope({ context: { view, caller } }: McpRequest): 'public' | 'private' {
    return cacheScopeOf(view.server, caller.toolIds !== undefined);
  }

  /** How long, and for whom, a list may be cached. */
  function listHints(request: McpRequest) {
    return { ttlMs: request.context.view.server.ttlMs ?? 0, cacheScope: cacheScope(request) };
  }

  /** The same for any modern result; private ones aren't cached. */
  function cacheHints(request: McpRequest, isPrivate = false) {
    if (request.era !== 'modern') return {};
    return isPrivate ? { ttlMs: 0, cacheScope: 'private' as const } : listHints(request);
  }

  /** What the server says about itself when a client connects. */
  function introduction(request: McpRequest): Introduction {
    const { view, caller, mode } = request.context;
    const { server } = view;
    return {
      implementation: implementationOf(server, version, dependencies.iconsFor(server, request.surface)),
      capabilities: capabilitiesOf(server, nativeOf(request), request.listChanged),
      instructions:
        mode === 'search'
          ? searchInstructions(view, caller)
          : mode === 'code'
            ? codeInstructions(view, caller)
            : directInstructions(server),
    };
  }

  /** The listed tools that are not operations, native ones first: those before the operations, and those after them. */
  function ownTools(request: McpRequest): {
    readonly before: readonly McpTool[];
    readonly after: readonly McpTool[];
  } {
    const { view, caller, mode = 'direct' } = request.context;
    const native = [...(nativeOf(request)?.tools.values() ?? [])].map((tool) => tool.definition);
    const { before, after } = listedDefinitions(view, caller, mode, replies);
    const written = (tool: McpTool) => inDialect(tool, request.dialect);
    return { before: [...native, ...before.map(written)], after: after.map(written) };
  }

  /** The tools listed for a caller: none in search and code mode. */
  function listedTools({ context: { view, caller, mode = 'direct' } }: McpRequest): readonly ListedTool[] {
    return mode === 'direct' ? toolsFor(view, caller) : [];
  }

  /** Some of them, written for this client. */
  function shown(tools: readonly ListedTool[], { context, dialect }: McpRequest): readonly McpTool[] {
    return shownTools(context.view, tools, dialect);
  }

  async function readFromTool(
    uri: string,
    found: NonNullable<ReturnType<typeof findResource>>,
    request: McpRequest,
  ): Promise<ReadResourceResult['contents']> {
    const { mimeType } = found.resource;
    if ('text' in found) return [{ uri, mimeType: mimeType ?? 'text/plain', text: found.text }];
    const call = callTool.make(found.tool.name, found.args, request);
    if (call === undefined) throw notFoundFault(uri);
    const { progress } = request;
    const run = () => dependencies.answerCall(call);
    const outcome = progress === null ? await run() : await whileReporting(progress, run);
    if (outcome.kind !== 'done')
      throw new RpcFault(isBadRequest(outcome) ? invalidParams : internalError, noResultText(outcome));
    // With a file, the text around it is not part of the resource.
    const { content } = outcome.output;
    const files = content.filter((part) => part.type !== 'text');
    return (files.length > 0 ? files : content).flatMap((part): ReadResourceResult['contents'] => {
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
    });
  }

  const methods: Readonly<Record<MethodName, Method>> = {
    initialize: ({ protocolVersion }, request) => initializeResult(protocolVersion, introduction(request)),
    'server/discover': (_params, request) => discoverResult(introduction(request), listHints(request)),
    ping: () => ({}),

    'tools/list'({ cursor }, request) {
      const { before, after } = ownTools(request);
      const tools = [...before, ...shown(listedTools(request), request), ...after];
      const { pageSize } = request.context.view.server;
      return { ...page(tools, 'tools', nameOf, textOr(cursor), pageSize), ...cacheHints(request) };
    },
    async 'tools/call'({ name, arguments: given }, request): Promise<CallToolResult | InputRequiredResult> {
      const requested = textOr(name) ?? '';
      const args = isObject(given) ? given : {};
      const opened = callTool.open(requested, args, request);
      switch (opened.kind) {
        case 'native':
          return opened.tool.call({ ...args }, nativeContext(request, requested, given));
        case 'unknown': {
          callTool.refuse(opened.toolName, args, request);
          const { view, caller } = request.context;
          const hint = suggestTool(view, caller, requested, request.dialect);
          throw new RpcFault(invalidParams, `Unknown tool: ${requested}${hint === '' ? '' : `.${hint}`}`);
        }
        default:
          return resultObject(await callTool.run(opened, args, request));
      }
    },

    'prompts/list'({ cursor }, request) {
      const prompts = [
        ...[...(nativeOf(request)?.prompts.values() ?? [])].map((prompt) => prompt.definition),
        ...(request.context.view.server.prompts ?? []).map(promptDefinition),
      ];
      return { ...page(prompts, 'prompts', nameOf, textOr(cursor)), ...cacheHints(request) };
    },
    'prompts/get'(
      { name, arguments: given },
      request,
    ): Promise<GetPromptResult | InputRequiredResult> | object {
      const requested = textOr(name) ?? '';
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- prompt arguments are strings, which transports check
      const args = objectOr(given) as Record<string, string>;
      const own = nativeOf(request)?.prompts.get(requested);
      return own === undefined
        ? fillPrompt(request.context.view.server, requested, args)
        : own.get(args, nativeContext(request, requested, given));
    },

    'resources/list'({ cursor }, request) {
      const { view, caller } = request.context;
      const resources = [
        ...(nativeOf(request)?.resources.list ?? []),
        ...resourcesFor(view, caller)
          .filter((resource) => !isTemplate(resource))
          .map(resourceDefinition),
      ];
      return { ...page(resources, 'resources', ({ uri }) => uri, textOr(cursor)), ...cacheHints(request) };
    },
    'resources/templates/list'({ cursor }, request) {
      const { view, caller } = request.context;
      const templates = [
        ...(nativeOf(request)?.resources.templates ?? []),
        ...resourcesFor(view, caller).filter(isTemplate).map(templateDefinition),
      ];
      return {
        ...page(templates, 'resourceTemplates', ({ uriTemplate }) => uriTemplate, textOr(cursor)),
        ...cacheHints(request),
      };
    },
    async 'resources/read'({ uri: requested }, request) {
      const uri = textOr(requested) ?? '';
      const { view, caller } = request.context;
      const own = await nativeOf(request)?.resources.read(uri, nativeContext(request, uri, null));
      if (own) return { ...own, ...cacheHints(request) };
      const kept = await dependencies.readKept(request, uri);
      if (kept) return { ...kept, ...cacheHints(request, true) };
      const found = findResource(view, caller, uri);
      if (found === undefined) throw notFoundFault(uri);
      const contents = await readFromTool(uri, found, request);
      // An API's reply may depend on the credential or headers of the call.
      return { contents, ...cacheHints(request, !('text' in found)) };
    },
    'resources/subscribe'({ uri }, { subscriptions }) {
      subscriptions?.add(textOr(uri) ?? '');
      return {};
    },
    'resources/unsubscribe'({ uri }, { subscriptions }) {
      subscriptions?.delete(textOr(uri) ?? '');
      return {};
    },

    'completion/complete'(params, request): CompleteResult {
      const { view, caller } = request.context;
      const ref = objectOr(params['ref']);
      const argument = objectOr(params['argument']);
      const name = textOr(argument['name']) ?? '';
      const value = textOr(argument['value']) ?? '';
      const native = nativeOf(request);
      const own = native?.complete?.(ref, { name, value });
      if (own) return own;
      if (ref['type'] !== 'ref/prompt')
        return completion(templateValues(view, caller, textOr(ref['uri']) ?? '', name), value);
      const prompt = view.server.prompts?.find((candidate) => candidate.name === ref['name']);
      if (!prompt && !native?.prompts.has(textOr(ref['name']) ?? ''))
        throw new RpcFault(invalidParams, `Prompt ${String(ref['name'])} not found`);
      return completion(prompt?.arguments.find((one) => one.name === name)?.values, value);
    },
  };

  return {
    methods,
    callTool,
    introduction,
    ownTools,
    listedTools,
    shownTools: shown,
    cacheHints,
  };
}

export type McpCore = ReturnType<typeof createMcpCore>;

function nativeContext({ native }: McpRequest, name: string, args: unknown): NativeContext {
  if (native === undefined)
    throw new RpcFault(internalError, 'This tool needs a client that supports questions to the user.');
  return native(name, args);
}

function notFoundFault(uri: string): RpcFault {
  return new RpcFault(invalidParams, `Resource not found: ${uri}`, { uri });
}

function completion(values: readonly string[] | undefined, typed: string): CompleteResult {
  const wanted = typed.toLowerCase();
  const fitting = (values ?? []).filter((value) => value.toLowerCase().startsWith(wanted));
  return {
    completion: { values: fitting.slice(0, 100), total: fitting.length, hasMore: fitting.length > 100 },
  };
}

const nameOf = ({ name }: { readonly name: string }) => name;
