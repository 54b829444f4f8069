import type { Logger } from 'pino';
import type { Admins } from '../access/admins.ts';
import type { Identify } from '../access/callers.ts';
import type { KeyUses } from '../access/key-uses.ts';
import type { RefusalLimit } from '../access/refusal-limit.ts';
import type { CallMaker } from '../calls/make-call.ts';
import type { Metrics } from '../calls/metrics.ts';
import type { Recorder } from '../calls/recorder.ts';
import type { Config } from '../config/settings.ts';
import type { CredentialActions } from '../credentials/credential-actions.ts';
import type { Importer } from '../import/importer.ts';
import type { SourceChecks } from '../import/sources/source-checks.ts';
import type { ListCosts } from '../listing/list-costs.ts';
import type { BuiltInWatch } from '../mcp/built-in/built-in-tools.ts';
import type { RunCode } from '../mcp/built-in/run-code.ts';
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
import type { ClientAddress } from './client-address.ts';
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
  readonly runCode: RunCode;
  readonly admins: Admins;
  readonly metrics: Metrics;
  /** What all processes of this gateway have counted, for Prometheus. */
  readonly scrape: () => Promise<string>;
  /** Takes in what other processes of this gateway have changed, so that an admin sees what they did a moment ago. */
  readonly catchUp: () => Promise<void>;
  readonly identify: Identify;
  readonly keyUses: KeyUses;
  readonly credentials: CredentialActions;
  readonly health: Health;
  readonly importer: Importer;
  readonly sourceChecks: SourceChecks;
  /** Sends requests that are not calls, such as for a document to import. */
  readonly fetch: FetchGuarded;
  /** Whether (redacted) contents of calls and conversations may be kept. */
  readonly keepsContents: () => boolean;
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
  /** Where a request came from, as far as proxies are believed. */
  readonly clientAddress: ClientAddress;
  readonly refusals: RefusalLimit;
}
