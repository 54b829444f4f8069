import type { IncomingMessage } from 'node:http';
import type { Caller, ClientName, Surface } from '../domain/call.ts';
import type { ListMode } from '../domain/server.ts';
import type { ServerView } from '../registry/snapshot.ts';

/** What the surface in front has found out about one request: which server, and who is asking. */
export interface McpContext {
  readonly view: ServerView;
  readonly caller: Caller;
  /**
   * The server and the caller as they are now, asked again while a stream stays open. Undefined means that the
   * server is gone or the caller's access has ended, and ends the stream.
   */
  readonly recheck?: () => Pick<McpContext, 'view' | 'caller' | 'mode'> | undefined;
  /** How tools are shown; absent where that does not matter, or is not known yet. */
  readonly mode?: ListMode | undefined;
}

/** One client's side of an exchange, as far as a call needs it. */
export interface ClientSide {
  readonly client: ClientName | null;
  readonly surface: Surface;
  /** Its own headers, for APIs that pass some of them on; null where there are none. */
  readonly headers: Readonly<Record<string, string>> | null;
}

/** Both families of protocol revisions: those that open with `initialize`, and those that carry everything per request. */
export type Era = 'legacy' | 'modern';

/** The one modern revision. */
export const modernRevision = '2026-07-28';

/** Legacy revisions, newest first; the first is offered to a client that asks for one we do not know. */
export const legacyRevisions: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

/** What a legacy request without a version header speaks (https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#protocol-version-header). */
export const assumedLegacyRevision = '2025-03-26';

/** Whether a revision knows results that link to resources; one that is not told does not. */
export function knowsLinks(revision: string | undefined): boolean {
  return revision !== undefined && revision >= '2025-06-18';
}

/** Names that node:http joins to one value are single strings; of the few it keeps as lists the first counts. */
export function headerOf(req: IncomingMessage, name: string): string | undefined {
  const value = req.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** The client's headers with single values, for APIs that pass some of them on. */
export function clientHeadersOf(req: IncomingMessage): Readonly<Record<string, string>> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- lower-case already; only `set-cookie`, which clients do not send, is a list
  return req.headers as Readonly<Record<string, string>>;
}

/** The client's name from the first product of a User-Agent header: what is left when it did not introduce itself. */
export function clientFromUserAgent(userAgent: string | undefined): ClientName | null {
  if (!userAgent) return null;
  const product = userAgent.slice(0, 200).split(' ', 1)[0]!;
  const slash = product.indexOf('/');
  if (slash <= 0) return { name: product };
  return { name: product.slice(0, slash), version: product.slice(slash + 1) };
}

/** A declared `Implementation` as a client name, or null when it names nothing. */
export function clientFromDeclaration(declared: unknown): ClientName | null {
  if (typeof declared !== 'object' || declared === null) return null;
  const { name, version } = declared as { name?: unknown; version?: unknown };
  if (typeof name !== 'string' || name === '') return null;
  return { name: name.slice(0, 200), ...(typeof version === 'string' && { version: version.slice(0, 100) }) };
}
