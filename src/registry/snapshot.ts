import type { AccessKey } from '../domain/access-key.ts';
import type { ApiToken } from '../domain/admin-api-token.ts';
import type { IdentityProvider } from '../domain/identity-provider.ts';
import type { Api } from '../domain/api.ts';
import type { ComposedTool } from '../domain/composed-tool.ts';
import type { Check } from '../domain/models/check.ts';
import type { Credential } from '../domain/credential.ts';
import type { Model } from '../domain/models/model.ts';
import type { Server } from '../domain/server.ts';
import type { Tool } from '../domain/tool.ts';
import type { Limits } from '../domain/limits.ts';
import type { CompiledTool } from '../pipeline/compiled-tool.ts';
import type { IdIndex } from './id-index.ts';
import type { SetAside } from './set-aside.ts';

/** A tool as one server shows it. */
export interface ListedTool {
  /** The name on this server: an override, an assigned name, or the tool's own. */
  readonly name: string;
  readonly description: string;
  readonly compiled: CompiledTool;
  /** What it is compiled from, where that can be read without compiling it; see `sourceOf`. */
  readonly source?: ToolSource;
}

type ToolSource = Pick<CompiledTool, 'tool' | 'api'>;

/** The tool and API behind a listed tool, which it does not compile. */
export function sourceOf(listed: ListedTool): ToolSource {
  return listed.source ?? listed.compiled;
}

/** One server with its tools, ready to be served. A new object whenever anything it shows has changed. */
export interface ServerView {
  readonly server: Server;
  /** Enabled tools of enabled APIs, in a stable order. */
  readonly tools: readonly ListedTool[];
  readonly byName: ReadonlyMap<string, ListedTool>;
}

/** Tools that are served, each compiled when it is first asked for. */
export interface CompiledTools {
  readonly size: number;
  get(toolId: string): CompiledTool | undefined;
  has(toolId: string): boolean;
  values(): Iterable<CompiledTool>;
}

/** The whole registry at one moment. Immutable, and replaced as a whole on every change. */
export interface Snapshot {
  readonly seq: number;
  readonly apis: ReadonlyMap<string, Api>;
  readonly tools: ReadonlyMap<string, Tool>;
  /** Tools that their documents dropped, kept in case they return; not in any other map. */
  readonly gone: ReadonlyMap<string, Tool>;
  readonly servers: ReadonlyMap<string, Server>;
  /** Scripts saved as tools; each belongs to one server. */
  readonly composedTools: ReadonlyMap<string, ComposedTool>;
  readonly credentials: ReadonlyMap<string, Credential>;
  readonly keys: ReadonlyMap<string, AccessKey>;
  readonly settings: ReadonlyMap<string, string>;
  readonly models: ReadonlyMap<string, Model>;
  readonly checks: ReadonlyMap<string, Check>;
  readonly identityProviders: ReadonlyMap<string, IdentityProvider>;
  readonly apiTokens: ReadonlyMap<string, ApiToken>;
  readonly apiBySlug: ReadonlyMap<string, Api>;
  readonly serverBySlug: ReadonlyMap<string, Server>;
  readonly keyByHash: ReadonlyMap<string, AccessKey>;
  /** Tool IDs by API ID, then by the tool's own name. */
  readonly toolsByApi: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Tool IDs by the tool's own name, in lower case. */
  readonly toolsByName: IdIndex;
  /** Server IDs by what their rules select: an API's ID, a tool's ID, a tag or everything. */
  readonly serversByRule: IdIndex;
  readonly composedByServer: IdIndex;
  /** Key IDs by the caller that they stand for, which is the first key of a chain of rotations. */
  readonly keysByCaller: IdIndex;
  /** How many tools of each API are enabled, whether the API is or not. */
  readonly enabledByApi: ReadonlyMap<string, number>;
  /** Assigned names by server ID, then tool ID. */
  readonly givenNames: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Tool IDs by server ID and assigned name, in lower case. */
  readonly toolsByGivenName: IdIndex;
  /** The limits that apply where neither API nor tool sets one. */
  readonly limits: Limits;
  /** The stored rows that cannot be read. */
  readonly setAside: SetAside;
  /** Enabled tools of enabled APIs. */
  readonly compiled: CompiledTools;
  /** The server as it is served, or undefined; computed on first use and kept while nothing it shows changes. */
  view(slug: string): ServerView | undefined;
}

/** Every tool of an API, including those that its document dropped. */
export function allToolsOf(snapshot: Snapshot, apiId: string): Tool[] {
  const ids = [...(snapshot.toolsByApi.get(apiId)?.values() ?? [])];
  return [...ids.map((id) => snapshot.tools.get(id)!), ...goneToolsOf(snapshot, apiId)];
}

/** The tools of an API that its document dropped. */
export function goneToolsOf({ gone }: Snapshot, apiId: string): Tool[] {
  return [...gone.values()].filter((tool) => tool.apiId === apiId);
}
