import { listModes, type Server } from '../../domain/server.ts';
import { isObject, objectOr } from '../../lib/json/plain-object.ts';
import { readJson } from '../../lib/schema/read-json.ts';
import { choice, type Infer, integer, object, text } from '../../lib/schema/schema.ts';
import { modernRevision } from '../context.ts';
import {
  cacheScopeOf,
  capabilitiesOf,
  directInstructions,
  discoverResult,
  implementationOf,
  initializeResult,
  type ServerIntroduction,
} from '../core/introduction.ts';
import { isRequestId } from '../request-ids.ts';
import { shownIcons } from '../render/icons.ts';

// What a server says about itself before anything is asked of it. No part of the SDK is loaded for it, so that a
// process which serves over stdio can answer while the rest is still loading.

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
  const told = {
    implementation: implementationOf(server, version, shownIcons(server.icons, null)),
    capabilities: capabilitiesOf(server, undefined, true),
    instructions: directInstructions(server),
  };
  const meta = params['_meta'];
  let result: object;
  if (method === 'initialize' && meta === undefined) {
    const { protocolVersion, capabilities, clientInfo } = params;
    if (typeof protocolVersion !== 'string' || !isObject(capabilities) || !isNamed(clientInfo))
      return undefined;
    result = initializeResult(protocolVersion, told);
  } else if (
    method === 'server/discover' &&
    isObject(meta) &&
    meta['io.modelcontextprotocol/protocolVersion'] === modernRevision &&
    isObject(meta['io.modelcontextprotocol/clientCapabilities']) &&
    (!('io.modelcontextprotocol/clientInfo' in meta) || isNamed(meta['io.modelcontextprotocol/clientInfo']))
  ) {
    result = {
      ...discoverResult(told, cacheScopeOf(server, false)),
      resultType: 'complete',
      _meta: { 'io.modelcontextprotocol/serverInfo': told.implementation },
    };
  } else return undefined;
  return JSON.stringify({ result, jsonrpc, id });
}

function isNamed(value: unknown): boolean {
  return isObject(value) && typeof value['name'] === 'string' && typeof value['version'] === 'string';
}
