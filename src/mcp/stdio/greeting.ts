import type { Implementation, ServerCapabilities } from '@modelcontextprotocol/server';
import { listModes, type Server } from '../../domain/server.ts';
import { isObject, objectOr } from '../../lib/json/plain-object.ts';
import { readJson } from '../../lib/schema/read-json.ts';
import { choice, type Infer, integer, object, text } from '../../lib/schema/schema.ts';
import { legacyRevisions, modernRevision } from '../context.ts';
import type { NativeFeatures } from '../native.ts';
import { isRequestId } from '../request-id.ts';
import { ownArgumentInstructions } from '../built-in/own-argument-instructions.ts';
import { shownIcons } from '../render/icons.ts';

// What a server says about itself before anything is asked of it. No part of the SDK is loaded for it, so that a
// process which serves over stdio can answer while the rest is still loading.

/** What of a server its introduction is made from. */
export type ServerIntroduction = Pick<
  Server,
  | 'slug'
  | 'name'
  | 'description'
  | 'icons'
  | 'instructions'
  | 'prompts'
  | 'resources'
  | 'policy'
  | 'selectArgument'
  | 'pageArguments'
>;

const rememberedOpening = object({
  /** The state of the registry it holds for, and the budget it was decided by. */
  seq: integer(),
  listBudget: integer(),
  /** What `auto` comes to. */
  mode: choice(...listModes),
  /** What a client is told when the server is searched. */
  searchInstructions: text(),
});

/** What was found out about how a server opens, kept so that the next process can tell at once. */
export type RememberedOpening = Infer<typeof rememberedOpening>;

/** Reads what was remembered; null when there is nothing, or nothing that can be used. */
export function readOpening(fact: string | null): RememberedOpening | null {
  return fact === null ? null : readJson(rememberedOpening, fact);
}

/** The name of the fact that remembers how a server opens. */
export function openingFact(slug: string): string {
  return `opening:${slug}`;
}

/** The server as it will introduce itself once it has loaded; null when that cannot be told yet. */
export function foreseeOpening(
  server: Server,
  remembered: RememberedOpening | null,
  now: Pick<RememberedOpening, 'seq' | 'listBudget'>,
  asked: string | undefined,
): ServerIntroduction | null {
  const mode = asked === undefined || asked === 'auto' ? (server.mode ?? 'auto') : asked;
  if (mode === 'direct') return server;
  if (remembered === null || remembered.seq !== now.seq || remembered.listBudget !== now.listBudget)
    return null;
  const told = mode === 'auto' ? remembered.mode : mode;
  if (told === 'direct') return server;
  return told === 'search'
    ? { ...server, instructions: remembered.searchInstructions, selectArgument: false, pageArguments: false }
    : null;
}

/** How a server introduces itself. `iconsAt` is the address that its kept pictures are served below, where there is one. */
export function implementationOf(
  server: ServerIntroduction,
  version: string,
  iconsAt: string | null,
): Implementation {
  const icons = shownIcons(server.icons, iconsAt);
  return {
    name: server.slug,
    title: server.name,
    version,
    ...(server.description !== undefined && { description: server.description }),
    ...(icons.length > 0 && {
      icons: icons.map((icon) => ({ ...icon, sizes: icon.sizes && [...icon.sizes] })),
    }),
  };
}

/** What a server that lists its tools tells its clients about itself. */
export function directInstructions(server: ServerIntroduction): string | undefined {
  const { instructions } = server;
  const own = ownArgumentInstructions(server);
  if (own.length === 0) return instructions;
  return [...(instructions === undefined ? [] : [instructions]), ...own].join('\n\n');
}

/** What a server can do, as it tells its clients. */
export function capabilitiesOf(
  server: ServerIntroduction,
  native: NativeFeatures | undefined,
  listChanged: boolean,
): ServerCapabilities {
  const { prompts, resources } = server;
  const hasPrompts = Boolean(prompts?.length || native?.prompts.size);
  const completes = Boolean(
    native?.complete ||
    prompts?.some((prompt) => prompt.arguments.some((argument) => argument.values?.length)) ||
    resources?.some((resource) => resource.toolId !== undefined && resource.uri.includes('{')),
  );
  const change = listChanged ? { listChanged: true } : {};
  return {
    tools: change,
    ...(hasPrompts && { prompts: change }),
    // A reply that is too long can be read as one.
    resources: { ...change, ...(native?.resources.subscribable && { subscribe: true }) },
    ...(completes && { completions: {} }),
    ...(native?.logging && { logging: {} }),
  };
}

/** Who may keep an answer: everyone, or only the caller it was made for. */
export function cacheScopeOf(server: ServerIntroduction, filtered: boolean): 'public' | 'private' {
  return filtered || server.policy.kind !== 'open' ? 'private' : 'public';
}

/**
 * The answer to a plain `initialize` or `server/discover`, the same as the SDK's. Undefined for any other message, and
 * for one that has anything odd about it.
 */
export function greetingFor(
  message: unknown,
  server: ServerIntroduction,
  version: string,
): string | undefined {
  const { jsonrpc, id, method, params } = objectOr(message);
  if (jsonrpc !== '2.0' || !isRequestId(id) || !isObject(params)) return undefined;
  const told = directInstructions(server);
  const instructions = told ? { instructions: told } : {};
  const meta = params['_meta'];
  let result: object;
  if (method === 'initialize' && meta === undefined) {
    const { protocolVersion, capabilities, clientInfo } = params;
    if (typeof protocolVersion !== 'string' || !isObject(capabilities) || !isNamed(clientInfo))
      return undefined;
    result = {
      protocolVersion: legacyRevisions.includes(protocolVersion) ? protocolVersion : legacyRevisions[0],
      capabilities: capabilitiesOf(server, undefined, true),
      serverInfo: implementationOf(server, version, null),
      ...instructions,
    };
  } else if (
    method === 'server/discover' &&
    isObject(meta) &&
    meta['io.modelcontextprotocol/protocolVersion'] === modernRevision &&
    isObject(meta['io.modelcontextprotocol/clientCapabilities']) &&
    (!('io.modelcontextprotocol/clientInfo' in meta) || isNamed(meta['io.modelcontextprotocol/clientInfo']))
  ) {
    result = {
      supportedVersions: [modernRevision],
      capabilities: capabilitiesOf(server, undefined, true),
      ...instructions,
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: cacheScopeOf(server, false),
      _meta: { 'io.modelcontextprotocol/serverInfo': implementationOf(server, version, null) },
    };
  } else return undefined;
  return JSON.stringify({ result, jsonrpc, id });
}

function isNamed(value: unknown): boolean {
  return isObject(value) && typeof value['name'] === 'string' && typeof value['version'] === 'string';
}
