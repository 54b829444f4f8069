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

// What a server says about itself when a client connects. It doesn't load the SDK, so a process that serves over
// stdio can answer while the rest is still loading.

const rememberedOpening = object({
  /** The registry state and the budget that it is valid for. */
  seq: integer(),
  listBudget: integer(),
  /** What `auto` resolves to. */
  mode: choice(...listModes),
  /** The instructions in search mode. */
  searchInstructions: text(),
});

/** How a server opens a connection, saved so that the next process knows without loading. */
export type RememberedOpening = Infer<typeof rememberedOpening>;

/** Reads what was saved; null if there is nothing usable. */
export function readOpening(fact: string | null): RememberedOpening | null {
  return fact === null ? null : readJson(rememberedOpening, fact);
}

/** The name of the fact that stores how a server opens a connection. */
export function openingFact(slug: string): string {
  return `opening:${slug}`;
}

/** The server's introduction before it has loaded; null if it isn't known yet. */
export function predictOpening(
  server: Server,
  remembered: RememberedOpening | null,
  now: Pick<RememberedOpening, 'seq' | 'listBudget'>,
  requested: string | undefined,
): ServerIntroduction | null {
  const mode = requested === undefined || requested === 'auto' ? (server.mode ?? 'auto') : requested;
  if (mode === 'direct') return server;
  if (remembered === null || remembered.seq !== now.seq || remembered.listBudget !== now.listBudget)
    return null;
  const known = mode === 'auto' ? remembered.mode : mode;
  if (known === 'direct') return server;
  return known === 'search'
    ? { ...server, instructions: remembered.searchInstructions, selectArgument: false, pageArguments: false }
    : null;
}

/**
 * The answer to a plain `initialize` or `server/discover`, identical to the SDK's. Undefined for any other message,
 * and for anything unusual.
 */
export function greetingFor(
  message: unknown,
  server: ServerIntroduction,
  version: string,
): string | undefined {
  const { jsonrpc, id, method, params } = objectOr(message);
  if (jsonrpc !== '2.0' || !isRequestId(id) || !isObject(params)) return undefined;
  const introduction = {
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
    result = initializeResult(protocolVersion, introduction);
  } else if (
    method === 'server/discover' &&
    isObject(meta) &&
    meta['io.modelcontextprotocol/protocolVersion'] === modernRevision &&
    isObject(meta['io.modelcontextprotocol/clientCapabilities']) &&
    (!('io.modelcontextprotocol/clientInfo' in meta) || isNamed(meta['io.modelcontextprotocol/clientInfo']))
  ) {
    result = {
      ...discoverResult(introduction, { ttlMs: 0, cacheScope: cacheScopeOf(server, false) }),
      resultType: 'complete',
      _meta: { 'io.modelcontextprotocol/serverInfo': introduction.implementation },
    };
  } else return undefined;
  return JSON.stringify({ result, jsonrpc, id });
}

function isNamed(value: unknown): boolean {
  return isObject(value) && typeof value['name'] === 'string' && typeof value['version'] === 'string';
}
