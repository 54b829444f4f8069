import type { IncomingMessage } from 'node:http';
import type { CallerProof } from '../access/callers.ts';
import type { Caller, RefusalCode, Surface } from '../domain/call.ts';
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
 * The server under a slug and whoever asks for it. Where some servers are not for everybody, one that is not there is
 * refused just like one that the caller may not use: nobody learns by asking which there are. Who is refused on a surface
 * that calls tools leaves a trace.
 */
export async function findServer(
  context: Finding,
  slug: string,
  req: IncomingMessage,
  surface: Surface | null,
): Promise<FoundServer> {
  const view = reachable(context, slug, req);
  const server = view?.server ?? nobodys;
  const proof = proofIn(req);
  if (view === undefined && !hidesServers(context.registry.snapshot)) throw noServer(slug);
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
    throw noServer(slug);
  }
  return { view, caller };
}

/** Counts a refusal against the address that it came from, and throws instead when that has had its share. */
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
  // A slug that nothing is published under is its caller's invention.
  const server = context.listedView(slug)?.server;
  if (server === undefined || surface === null) return;
  const address = context.clientAddress(req);
  const isOutside = reachable(context, slug, req) === undefined;
  const { caller, why } = context.identify.explain(server, proofIn(req));
  // Browsers, and clients that sign in, ask once without anything and come again.
  if (why === null && !isOutside && (server.policy.kind !== 'key' || surface === 'explorer')) return;
  const agent = req.headers['user-agent'];
  context.calls.refuse({
    code: isOutside ? 'forbidden' : code,
    message: `${isOutside ? 'This server is not for the address that the request came from.' : (why ?? 'No access key was sent.')} It came from ${address}.`,
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
 * The same at once, for requests that are nothing special: undefined when there is no such server, or a token has to be
 * looked at elsewhere. Throws when the request may not use it.
 */
export function findServerAtOnce(
  context: Pick<Finding, 'identify' | 'listedView' | 'clientAddress'>,
  slug: string,
  req: IncomingMessage,
): FoundServer | undefined {
  const view = reachable(context, slug, req);
  if (view === undefined) return undefined;
  const caller = context.identify.identifySync(view.server, proofIn(req));
  return caller && { view, caller };
}

/** The server and whoever sent this request, as they are now; undefined when it is gone or access has ended. */
export function findAgain(
  context: Pick<Finding, 'identify' | 'listedView' | 'clientAddress'>,
  slug: string,
  req: IncomingMessage,
): FoundServer | undefined {
  try {
    // A token whose check has to be repeated ends the stream: its client comes again with a good one.
    return findServerAtOnce(context, slug, req);
  } catch {
    return undefined;
  }
}

/** Whether this server shows itself to whoever asks without proof. */
export function isForEverybody(server: Server): boolean {
  return server.policy.kind === 'open' && server.allowAddresses === undefined;
}

/** Whether some server is not for everybody. */
export function hidesServers({ servers }: Pick<Snapshot, 'servers'>): boolean {
  let hides = hiding.get(servers);
  if (hides === undefined) {
    hides = [...servers.values()].some((server) => server.enabled && !isForEverybody(server));
    hiding.set(servers, hides);
  }
  return hides;
}

const hiding = new WeakCache<Snapshot['servers'], boolean>();

/** The refusal of a slug that nothing is published under. */
export function noServer(slug: string): HandrailError {
  return new HandrailError('not_found', `There is no MCP server "${slug.slice(0, 60)}" here.`);
}

/** The server under a slug, if it may be seen from where the request comes. */
export function reachable(
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

// What an unknown slug is taken for: a server that asks for a key, which no key names.
const nobodys: Server = {
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
  };
}
