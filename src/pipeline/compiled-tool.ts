import type { Api } from '../domain/api.ts';
import type { Problem } from '../domain/errors.ts';
import type { JsonSchema, JsonValue } from '../domain/json-schema.ts';
import type { Limits } from '../domain/limits.ts';
import type { Tool } from '../domain/tool.ts';
import type { Arguments } from './arguments/checked-arguments.ts';
import type { OpenedFiles } from './files.ts';
import type { ReadStructure } from './reply/structured-reply.ts';
import type { RequestBody } from './request/request-plan.ts';

/** `Tool` + `Api`, compiled for calling. Created when the registry changes, never per call. */
export interface CompiledTool {
  readonly tool: Tool;
  readonly api: Api;
  /** What the model sees. */
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema | null;
  /** Turns a reply's text into structured content that matches the output schema; compiled on first use. */
  readonly structure: ReadStructure;
  readonly limits: Limits;
  /**
   * Calls per minute to its API, across all tools and callers; 0 means no limit. A tool's own rate is a separate
   * limit.
   */
  readonly apiRatePerMinute: number;
  /** Checks arguments; the validator is compiled on first use and kept. */
  readonly check: (args: Record<string, unknown>) => readonly Problem[];
  /** Everything about the request that does not depend on the arguments. */
  readonly request: RequestTemplate;
  /** The script that runs instead of a request, for a composed tool; null for every other tool. */
  readonly script: SavedScript | null;
}

/** A script that is called as a tool. */
export interface SavedScript {
  readonly code: string;
  /** The only tools it may call; its kind is the strongest of theirs. */
  readonly toolIds: ReadonlySet<string>;
}

/** The part of a request that is known before the call. Built by `compile.ts`, read by `resolve.ts`. */
export interface RequestTemplate {
  readonly method: string;
  /** `https://host[:port]` of the base URL. */
  readonly origin: string;
  /** Why nothing may be sent to this origin; null if it may. */
  readonly refusal: string | null;
  /** The base URL's path without a trailing slash. */
  readonly basePath: string;
  /** Literal parts and parameter slots of the path, in order. */
  readonly path: readonly PathPart[];
  /** Fixed query of the base URL and the path template, without `?`. */
  readonly fixedQuery: string;
  readonly headers: Readonly<Record<string, string>>;
  /** By argument name, with the function that serializes its value. */
  readonly query: readonly { readonly name: string; readonly write: WritePairs }[];
  readonly headerArguments: readonly {
    readonly name: string;
    readonly key: string;
    readonly write: WriteHeader;
  }[];
  readonly cookies: readonly { readonly name: string; readonly write: WritePairs }[];
  readonly body: WriteBody;
  /** Null when no argument can be a file. */
  readonly fileValues: FileValues | null;
  /** Whether only the operator may set a body field or a header. */
  readonly isHeldField: (name: string) => boolean;
  readonly isHeldHeader: (name: string) => boolean;
}

/** Writes a path parameter's text, already encoded. Empty if the value leaves nothing. */
export type WritePath = (value: JsonValue) => string;

/** Writes `name=value` pairs, already encoded. */
export type WritePairs = (value: JsonValue) => string[];

/** Writes a header's value; null if the value leaves nothing. */
export type WriteHeader = (value: JsonValue) => string | null;

/** Writes an operation's body from its arguments and the files they refer to; null if there is no body to send. */
export type WriteBody = (args: Arguments, files?: OpenedFiles | null) => RequestBody | null;

/** The argument texts that refer to files, each with the argument's name. */
export type FileValues = (
  args: Readonly<Record<string, unknown>>,
) => readonly { readonly name: string; readonly value: string }[];

/** A slot without a parameter has no name; such a tool is rejected when it is saved. */
export type PathPart =
  | { readonly text: string }
  | { readonly slot: string; readonly name: string | null; readonly write: WritePath };
