import type { HttpRequest } from '../lib/http-exchange.ts';
import type { Caller, ClientName, Surface } from '../domain/call.ts';
import type { ListMode } from '../domain/server.ts';
import type { ServerView } from '../registry/snapshot.ts';
import type { NativeFeatures } from './native.ts';

/** What the HTTP surface knows about a request: which server, and who is calling. */
export interface McpContext {
  readonly view: ServerView;
  readonly caller: Caller;
  /**
   * The current server and caller, checked again while a stream stays open. Undefined means that the server is gone
   * or the caller's access has ended, and ends the stream.
   */
  readonly recheck?: () => Pick<McpContext, 'view' | 'caller' | 'mode'> | undefined;
  /** Features in code for this caller only, instead of those of the server. */
  readonly native?: NativeFeatures | undefined;
  /** How tools are listed; absent where that doesn't matter or isn't known yet. */
  readonly mode?: ListMode | undefined;
}

/** The client of an exchange, as far as a call needs it. */
export interface ClientSide {
  readonly client: ClientName | null;
  readonly surface: Surface;
  /** Its own headers, for APIs that they are forwarded to; null if there are none. */
  readonly headers: Readonly<Record<string, string>> | null;
}

/**
 * The two families of protocol revisions: those that start with `initialize`, and those that carry everything per
 * request.
 */
export type Era = 'legacy' | 'modern';

/** The one modern revision. */
export const modernRevision = '2026-07-28';

/** Legacy revisions, newest first; the first is offered to a client that requests an unknown one. */
export const legacyRevisions: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

/**
 * The revision of a legacy request without a version header
 * (https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#protocol-version-header).
 */
export const assumedLegacyRevision = '2025-03-26';

/** Whether a revision supports resource links in results; an unknown revision doesn't. */
export function supportsLinks(revision: string | undefined, client: ClientName | null): boolean {
  return revision !== undefined && revision >= '2025-06-18' && client?.name !== pythonDefault;
}

// How Python's SDK introduces a client that has no name of its own. LangChain's adapters are one: they pass links to
// models as files, which OpenAI's API rejects together with the whole conversation.
const pythonDefault = 'mcp';

/**
 * A header as a single string: node:http joins most repeated headers; of the few it keeps as lists, the first counts.
 */
export function headerOf(req: HttpRequest, name: string): string | undefined {
  const value = req.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** The client's headers as single values, for APIs that they are forwarded to. */
export function clientHeadersOf(req: HttpRequest): Readonly<Record<string, string>> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- already lowercase; only `set-cookie`, which clients don't send, is a list
  return req.headers as Readonly<Record<string, string>>;
}

/** The client's name from the first product of a User-Agent header, for a client that did not introduce itself. */
export function clientFromUserAgent(userAgent: string | undefined): ClientName | null {
  if (!userAgent) return null;
  const product = userAgent.slice(0, 200).split(' ', 1)[0]!;
  const slash = product.indexOf('/');
  if (slash <= 0) return { name: product };
  return { name: product.slice(0, slash), version: product.slice(slash + 1) };
}

/** A declared `Implementation` as a client name; null if it has no name. */
export function clientFromDeclaration(declared: unknown): ClientName | null {
  if (typeof declared !== 'object' || declared === null) return null;
  const { name, version } = declared as { name?: unknown; version?: unknown };
  if (typeof name !== 'string' || name === '') return null;
  return { name: name.slice(0, 200), ...(typeof version === 'string' && { version: version.slice(0, 100) }) };
}
