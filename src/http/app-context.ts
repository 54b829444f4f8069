import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import type { Admins } from '../access/admins.ts';
import type { Identify, CallerProof } from '../access/callers.ts';
import type { KeyUses } from '../access/key-uses.ts';
import type { CallMaker } from '../calls/make-call.ts';
import type { Metrics } from '../calls/metrics.ts';
import type { Recorder } from '../calls/recorder.ts';
import type { Config } from '../config/settings.ts';
import type { CredentialActions } from '../credentials/credential-actions.ts';
import type { Caller } from '../domain/call.ts';
import type { Server } from '../domain/server.ts';
import type { Importer } from '../import/importer.ts';
import type { SourceChecks } from '../import/sources/source-checks.ts';
import type { ListCosts } from '../listing/list-costs.ts';
import type { BuiltInWatch } from '../mcp/built-in/built-in-tools.ts';
import type { ToolSearch } from '../mcp/built-in/tool-search.ts';
import type { McpHandler } from '../mcp/handler.ts';
import type { ServingModes } from '../mcp/modes/serving-modes.ts';
import type { RunCall } from '../pipeline/types.ts';
import type { RegistryLag } from '../registry/follow-changes.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServerView } from '../registry/snapshot.ts';
import type { Replies } from '../replies/open-replies.ts';
import type { ServingRules } from '../registry/rules/servers.ts';
import type { Store } from '../storage/ports.ts';
import type { FetchGuarded } from '../upstream/fetch-guarded.ts';
import type { Health } from '../upstream/health.ts';

/** Everything the routes are made of; put together in `gateway.ts`. */
export interface AppContext {
  readonly config: Config;
  readonly store: Store;
  readonly registry: Registry;
  readonly recorder: Recorder;
  readonly calls: CallMaker;
  readonly runCall: RunCall;
  readonly mcp: McpHandler;
  /** The server published under a slug now. */
  readonly viewOf: (slug: string) => ServerView | undefined;
  readonly costs: ListCosts;
  readonly modes: ServingModes;
  readonly search: ToolSearch;
  readonly builtInWatch: BuiltInWatch;
  readonly replies: Replies;
  readonly admins: Admins;
  readonly metrics: Metrics;
  readonly identify: Identify;
  readonly keyUses: KeyUses;
  readonly credentials: CredentialActions;
  readonly health: Health;
  readonly importer: Importer;
  readonly sourceChecks: SourceChecks;
  /** Sends requests that are not calls, such as for a document to import. */
  readonly fetch: FetchGuarded;
  readonly rules: ServingRules;
  readonly lag: RegistryLag;
  /** Whether the process was asked to stop and only serves until whoever sends requests has noticed. */
  readonly isLeaving: () => boolean;
  /** Aborted when the process stops: streams on which clients only listen end at once. */
  readonly stopping: AbortSignal;
  readonly log: Logger;
  readonly version: string;
  readonly now: () => number;
  /** Where clients reach us, without a trailing slash; known once the gateway listens. */
  readonly publicUrl: () => string;
  /** Whether requests can come over the network; a command asks a gateway of its own, in process. */
  readonly isListening: () => boolean;
}

/** Who is calling a server over HTTP; rejects when the request may not use it. */
export function callerOf(
  { identify }: Pick<AppContext, 'identify'>,
  server: Server,
  req: IncomingMessage,
): Promise<Caller> {
  return identify.inTime(server, proofIn(req));
}

/** Who is calling; undefined when a token has to be checked elsewhere first. Throws when the request may not use it. */
export function callerAtOnce(
  { identify }: Pick<AppContext, 'identify'>,
  server: Server,
  req: IncomingMessage,
): Caller | undefined {
  return identify.atOnce(server, proofIn(req));
}

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

/** The server and whoever sent this request, as they are now; undefined when it is gone or access has ended. */
export function recheckCaller(
  context: Pick<AppContext, 'identify' | 'viewOf'>,
  slug: string,
  req: IncomingMessage,
): { readonly view: ServerView; readonly caller: Caller } | undefined {
  const view = context.viewOf(slug);
  if (view === undefined) return undefined;
  try {
    const caller = callerAtOnce(context, view.server, req);
    // A token whose check has to be repeated ends the stream: its client comes again with a good one.
    return caller && { view, caller };
  } catch {
    return undefined;
  }
}
