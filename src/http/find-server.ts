import type { IncomingMessage } from 'node:http';
import type { CallerProof } from '../access/callers.ts';
import type { Caller, RefusalCode, Surface } from '../domain/call.ts';
import { httpErrors } from '../domain/error-messages/http.ts';
import { HandrailError } from '../domain/errors.ts';
import type { Server } from '../domain/server.ts';
import { type AddressList, parseAddressList } from '../lib/network/address-list.ts';
import type { ServerView, Snapshot } from '../registry/snapshot.ts';
import type { AppContext } from './app-context.ts';
import { WeakCache } from '../lib/weak-cache.ts';

type Finding = Pick<
  AppContext,
  'identify' | 'listedView' | 'clientAddress' | 'refusals' | 'registry' | 'calls'
>;

/** A server, and who is using it. */
export interface FoundServer {
  readonly view: ServerView;
  readonly caller: Caller;
}

/**
 * Finds the server with a slug and identifies the caller. If some servers are not public, an unknown slug is rejected
 * exactly like a server that the caller may not use, so that no one can probe which servers exist. Rejections on a
 * surface that calls tools are recorded.
 */
export async function findServer(
  context: Finding,
  slug: string,
  req: IncomingMessage,
  surface: Surface | null,
): Promise<FoundServer> {
  const view = findReachable(context, slug, req);
  const server = view?.server ?? unknownServer;
  const proof = proofIn(req);
  if (view === undefined && !hasPrivateServers(context.registry.snapshot))
    throw httpErrors.serverNotFound({ slug });
  let caller: Caller | undefined;
  try {
    caller = context.identify.identifySync(server, proof);
    if (caller === undefined) {
      context.refusals.check(context.clientAddress(req));
      caller = await context.identify.identify(server, proof);
    }
  } catch (error) {
    if (error instanceof HandrailError && (error.code === 'unauthenticated' || error.code === 'forbidden'))
      refuse(context, slug, req, surface, error);
    throw error;
  }
  if (view === undefined) {
    noteRefused(context, slug, req, surface, 'forbidden');
    throw httpErrors.serverNotFound({ slug });
  }
  return { view, caller };
}

/** Records a rejection and counts it against the client's address; throws when that address is over its limit. */
function refuse(
  context: Finding,
  slug: string,
  req: IncomingMessage,
  surface: Surface | null,
  { code }: HandrailError,
): void {
  noteRefused(context, slug, req, surface, code === 'forbidden' ? 'forbidden' : 'unauthenticated');
  context.refusals.refuse(context.clientAddress(req));
}

function noteRefused(
  context: Finding,
  slug: string,
  req: IncomingMessage,
  surface: Surface | null,
  code: RefusalCode,
): void {
  // An unknown slug may be any text the caller made up, so it is not recorded.
  const server = context.listedView(slug)?.server;
  if (server === undefined || surface === null) return;
  const address = context.clientAddress(req);
  const isOutside = findReachable(context, slug, req) === undefined;
  const { caller, why } = context.identify.explain(server, proofIn(req));
  // Browsers, and clients that sign in, send their first request without credentials and then retry.
  if (why === null && !isOutside && (server.policy.kind !== 'key' || surface === 'explorer')) return;
  const agent = req.headers['user-agent'];
  context.calls.refuse({
    code: isOutside ? 'forbidden' : code,
    message: `${isOutside ? 'This server does not accept requests from this address.' : (why ?? 'No access key was sent.')} The request came from ${address}.`,
    serverSlug: server.slug,
    toolName: '',
    caller,
    client: agent === undefined ? null : { name: agent },
    surface,
    arguments: {},
    parentId: null,
  });
}

/**
 * The same without waiting, for the common case: undefined when there is no such server, or when a token needs a
 * remote check. Throws when the caller may not use the server.
 */
export function findServerSync(
  context: Pick<Finding, 'identify' | 'listedView' | 'clientAddress'>,
  slug: string,
  req: IncomingMessage,
): FoundServer | undefined {
  const view = findReachable(context, slug, req);
  if (view === undefined) return undefined;
  const caller = context.identify.identifySync(view.server, proofIn(req));
  return caller && { view, caller };
}

/** Looks up the server and caller of a request again; undefined when the server is gone or access has ended. */
export function findAgain(
  context: Pick<Finding, 'identify' | 'listedView' | 'clientAddress'>,
  slug: string,
  req: IncomingMessage,
): FoundServer | undefined {
  try {
    // A token that needs another remote check ends the stream; the client reconnects with a valid one.
    return findServerSync(context, slug, req);
  } catch {
    return undefined;
  }
}

/** Whether anyone can use this server without credentials. */
export function isPublic(server: Server): boolean {
  return server.policy.kind === 'open' && server.allowAddresses === undefined;
}

/** Whether any enabled server is not public. */
export function hasPrivateServers({ servers }: Pick<Snapshot, 'servers'>): boolean {
  let hides = hiding.get(servers);
  if (hides === undefined) {
    hides = [...servers.values()].some((server) => server.enabled && !isPublic(server));
    hiding.set(servers, hides);
  }
  return hides;
}

const hiding = new WeakCache<Snapshot['servers'], boolean>();

/** The server with a slug, if it accepts requests from the client's address. */
export function findReachable(
  { listedView, clientAddress }: Pick<Finding, 'listedView' | 'clientAddress'>,
  slug: string,
  req: IncomingMessage,
): ServerView | undefined {
  const view = listedView(slug);
  if (view?.server.allowAddresses === undefined) return view;
  return addressesOf(view.server, view.server.allowAddresses).has(clientAddress(req)) ? view : undefined;
}

const lists = new WeakCache<Server, AddressList>();

function addressesOf(server: Server, addresses: readonly string[]): AddressList {
  let list = lists.get(server);
  if (list === undefined) lists.set(server, (list = parseAddressList(addresses)));
  return list;
}

// Stands in for an unknown slug: a server that requires a key, with an id that no key lists.
const unknownServer: Server = {
  id: '',
  slug: '',
  name: '',
  tools: [],
  overrides: {},
  policy: { kind: 'key' },
  ratePerMinute: 0,
  enabled: false,
  revision: 0,
  createdAtMs: 0,
  updatedAtMs: 0,
};

function proofIn(req: IncomingMessage): CallerProof {
  return {
    authorization: req.headers.authorization,
    header: (name) => {
      const value = req.headers[name];
      return Array.isArray(value) ? value[0] : value;
    },
    query: (name) => new URL(req.url ?? '/', 'http://localhost').searchParams.get(name) ?? undefined,
    isShortUrl: () => /^\/mcp\/?(?:\?|$)/.test(req.url ?? ''),
  };
}
