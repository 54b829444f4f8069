import type { Api } from '../domain/api.ts';
import type { Problem } from '../domain/errors.ts';
import type { JsonSchema, JsonValue } from '../domain/json-schema.ts';
import type { Limits } from '../domain/limits.ts';
import type { Tool } from '../domain/tool.ts';
import type { Arguments } from './arguments/checked-arguments.ts';
import type { OpenedFiles } from './files.ts';
import type { ReadStructure } from './reply/structured-reply.ts';
import type { RequestBody } from './request/request-plan.ts';

/** `Tool` + `Api`, ready to call. Made when the registry changes, never per call. */
export interface CompiledTool {
  readonly tool: Tool;
  readonly api: Api;
  /** What the model sees. */
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema | null;
  /** Makes structured content of a reply's text that the output schema takes; compiled at its first use. */
  readonly structure: ReadStructure;
  readonly limits: Limits;
  /** Calls a minute to its API, all tools and callers together; 0 means no limit. A tool's own rate is another limit. */
  readonly apiRatePerMinute: number;
  /** Checks arguments; the validator behind it is compiled at its first use and kept. */
  readonly check: (args: Record<string, unknown>) => readonly Problem[];
  /** Everything about the request that does not depend on the arguments. */
  readonly request: RequestTemplate;
  /** What runs instead of a request, where an operator saved a script as a tool; null for every other. */
  readonly script: SavedScript | null;
}

/** A script that is called as a tool. */
export interface SavedScript {
  readonly code: string;
  /** The tools that it may call, and no others: its kind is the strongest of theirs. */
  readonly toolIds: ReadonlySet<string>;
}

/** The part of a request that is known before the call. Built by `compile.ts`, read by `resolve.ts`. */
export interface RequestTemplate {
  readonly method: string;
  /** `https://host[:port]` of the base URL. */
  readonly origin: string;
  /** Why nothing may be sent there as things stand; null when it may. */
  readonly refusal: string | null;
  /** The base URL's path without a trailing slash. */
  readonly basePath: string;
  /** Literal parts and parameter slots of the path, in order. */
  readonly path: readonly PathPart[];
  /** Fixed query of the base URL and the path template, without `?`. */
  readonly fixedQuery: string;
  readonly headers: Readonly<Record<string, string>>;
  /** By argument name, each knows how its value is written. */
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
  /** Whether a field of the body, or a header, is the operator's to fill. */
  readonly isHeldField: (name: string) => boolean;
  readonly isHeldHeader: (name: string) => boolean;
}

/** Writes a path parameter's text, already encoded. Empty when the value leaves nothing. */
export type WritePath = (value: JsonValue) => string;

/** Writes `name=value` pairs, already encoded. */
export type WritePairs = (value: JsonValue) => string[];

/** Writes a header's value; null when the value leaves nothing. */
export type WriteHeader = (value: JsonValue) => string | null;

/** Writes an operation's body from its arguments, and the files that they name; null when there is none to send. */
export type WriteBody = (args: Arguments, files?: OpenedFiles | null) => RequestBody | null;

/** The texts in arguments that stand for files, each with the argument's name. */
export type FileValues = (
  args: Readonly<Record<string, unknown>>,
) => readonly { readonly name: string; readonly value: string }[];

/** A slot without a parameter has no name; a tool like that is refused when it is saved. */
export type PathPart =
  | { readonly text: string }
  | { readonly slot: string; readonly name: string | null; readonly write: WritePath };
