import type { AccessKey } from '../domain/access-key.ts';
import type { Api } from '../domain/api.ts';
import type { ComposedTool } from '../domain/composed-tool.ts';
import type { Check } from '../domain/models/check.ts';
import type { Credential } from '../domain/credential.ts';
import type { Model } from '../domain/models/model.ts';
import type { Server } from '../domain/server.ts';
import type { Tool } from '../domain/tool.ts';
import type { CompiledTool } from '../pipeline/compiled-tool.ts';
import type { SetAside } from './set-aside.ts';

/** A tool as one server shows it. */
export interface ListedTool {
  /** The name on this server: an override, an assigned name, or the tool's own. */
  readonly name: string;
  readonly description: string;
  readonly compiled: CompiledTool;
}

/** One server with its tools, ready to be served. A new object whenever anything it shows has changed. */
export interface ServerView {
  readonly server: Server;
  /** Enabled tools of enabled APIs, in a stable order. */
  readonly tools: readonly ListedTool[];
  readonly byName: ReadonlyMap<string, ListedTool>;
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
  readonly apiBySlug: ReadonlyMap<string, Api>;
  readonly serverBySlug: ReadonlyMap<string, Server>;
  readonly keyByHash: ReadonlyMap<string, AccessKey>;
  /** Tool IDs by API ID, then by the tool's own name. */
  readonly toolsByApi: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Assigned names by server ID, then tool ID. */
  readonly givenNames: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** The stored rows that cannot be read. */
  readonly setAside: SetAside;
  /** Enabled tools of enabled APIs; compiled once per change of the tool or API. */
  readonly compiled: ReadonlyMap<string, CompiledTool>;
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
