import type { Api } from '../domain/api.ts';
import type { Caller, CallStep, ClientName, OutcomeKind, Surface, TraceContext } from '../domain/call.ts';
import type { HandrailError, Problem } from '../domain/errors.ts';
import type { FollowUp } from '../domain/pages/follow-up.ts';
import type { JsonSchema, JsonValue } from '../domain/json-schema.ts';
import type { Limits } from '../domain/limits.ts';
import type { Server } from '../domain/server.ts';
import type { Tool } from '../domain/tool.ts';
import type { Waiting } from '../domain/waiting.ts';
import type { MaskText } from '../lib/secrets/mask-secrets.ts';
import type {
  FetchedFile,
  FileFacts,
  FileSink,
  ReadableFile,
  OpenedFiles,
  PlacedFile,
  ReceivedFile,
} from './files.ts';
import type { BodyStream } from './request/body-stream.ts';
import type { ReadStructure } from './reply/structured-reply.ts';
import type { StepLog } from './step-log.ts';

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

declare const checked: unique symbol;

/** Arguments that passed `validate`: defaults are in, hidden values are in, nothing undeclared is left. */
export type Arguments = Readonly<Record<string, JsonValue>> & { readonly [checked]: true };

/** Says that arguments passed `validate`; for it, and for what changes them afterwards. */
export function asArguments(values: Readonly<Record<string, JsonValue>>): Arguments {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the mark is the compiler's alone: no value carries it
  return values as Arguments;
}

/** The body of a request: text or bytes with its content type. */
export interface RequestBody {
  readonly contentType: string;
  readonly content: string | Uint8Array | BodyStream;
  /** The body before it was written, when its fields are still addressable (a secret may become one more field). */
  readonly fields?: Readonly<Record<string, JsonValue>>;
  /** Writes the body anew with one more field, where that cannot be told from its content. */
  readonly extend?: (name: string, value: string) => RequestBody;
}

/** A request as it will be sent, without any credential. */
export interface RequestPlan {
  readonly method: string;
  readonly origin: string;
  /** Path with query, already encoded; begins with `/`. */
  readonly target: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: RequestBody | null;
}

/** A secret that is ready to be placed, opened by `credentials/` for one call. */
export interface OpenCredential {
  /** Values to put somewhere in the request. */
  readonly placements: readonly Placement[];
  /** Computes headers over the finished request (AWS, HMAC); pure but for the clock and nonce it was made with. */
  readonly signature?: (request: RequestPlan) => Readonly<Record<string, string>>;
  /** Client certificate and trust for mutual TLS; part of the connection's identity. */
  readonly tls?: ClientTls;
  /** Tells calls with different secrets apart, for caches and pools; derived from no secret value. */
  readonly identity: string;
  /** Every secret value behind it, for masking; absent when the placements hold them all. */
  readonly secrets?: readonly string[];
  /** Whether this reply means that the secret is no longer good. */
  readonly rejectedBy?: (reply: Reply) => boolean;
}

export interface Placement {
  readonly in: 'header' | 'query' | 'cookie' | 'body';
  readonly name: string;
  readonly value: string;
}

export interface ClientTls {
  readonly certificatePem?: string;
  readonly privateKeyPem?: string;
  readonly passphrase?: string;
  readonly caPem?: string;
}

const noSecrets: readonly string[] = [];

/**
 * A request with its credential in place. The complete form is private: only `upstream/` takes it out, through
 * `reveal`, so that no log, record or error can print a secret by accident.
 */
export class SignedRequest {
  /** The request without its credential, safe to show. */
  readonly plan: RequestPlan;
  readonly tls: ClientTls | null;
  /** Tells requests made with different secrets apart. */
  readonly credentialIdentity: string;
  /** The secret values that went in, for masking what comes back. */
  readonly #secrets: readonly string[];
  readonly #full: RequestPlan;

  constructor(
    plan: RequestPlan,
    full: RequestPlan,
    credential: Pick<OpenCredential, 'placements' | 'identity' | 'tls' | 'secrets'> | null,
  ) {
    this.plan = plan;
    this.#full = full;
    this.tls = credential?.tls ?? null;
    this.credentialIdentity = credential?.identity ?? '';
    this.#secrets =
      credential === null
        ? noSecrets
        : (credential.secrets ?? credential.placements.map((placement) => placement.value));
  }

  /** The request as it goes on the wire. For `upstream/` only. */
  reveal(): RequestPlan {
    return this.#full;
  }

  /** The secret values that went in. For masking only. */
  secrets(): readonly string[] {
    return this.#secrets;
  }

  /** The request that follows a redirect; its client certificate stays behind when the origin changes. */
  redirected(plan: RequestPlan, full: RequestPlan, sameOrigin: boolean): SignedRequest {
    return new SignedRequest(plan, full, {
      placements: [],
      identity: this.credentialIdentity,
      secrets: this.#secrets,
      ...(sameOrigin && this.tls !== null && { tls: this.tls }),
    });
  }

  toJSON(): RequestPlan {
    return this.plan;
  }
}

/** What came back from the upstream, complete and decoded. */
export interface Reply {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** How it got here. */
  readonly tries: number;
  readonly cached: boolean;
  /** Time until the last byte, all tries together. */
  readonly upstreamMs: number;
  /** A stream that had not ended when the time, or the room, for it was over: the body is what had come until then. */
  readonly cut?: 'time' | 'size';
  /** The body went into the store, because it is a file: `body` is empty. */
  readonly file?: ReceivedFile;
}

/**
 * Tells whether the caller went away. An `AbortSignal` does; what is looked at a few times in a call need not be one,
 * which costs more to make than to look.
 */
export interface Hangup {
  readonly aborted: boolean;
}

/** What a send needs to know besides the request. */
export interface SendContext {
  readonly tool: CompiledTool;
  readonly limits: Limits;
  readonly callerId: string;
  /** Absolute end of the call in epoch milliseconds. */
  readonly deadlineMs: number;
  readonly signal: Hangup;
  /** Where a reply goes that is a file, and for which call; without them every reply is read. */
  readonly files?: CallFiles | undefined;
  readonly call?: Call;
  /** Hears of waits and of tries that failed. */
  readonly log?: StepLog;
}

export type Send = (request: SignedRequest, context: SendContext) => Promise<Reply>;

/** Wraps a send. */
export type SendPolicy = (next: Send) => Send;

/** What can stand between a call and the plain send; `run-call.ts` says in which order. */
export interface SendPolicies {
  /** Serves a young reply again. */
  readonly cache: SendPolicy;
  /** Tries again what failed and may be repeated. */
  readonly retry: SendPolicy;
  /** Leaves an API alone that keeps failing. */
  readonly breaker: SendPolicy;
  /** Bounds how many are under way at once. */
  readonly concurrency: SendPolicy;
  /** Follows redirects where some are allowed. */
  readonly redirects: SendPolicy;
}

export type Content =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'resource';
      readonly resource: { readonly uri: string; readonly mimeType: string; readonly blob: string };
    }
  | {
      readonly type: 'resource_link';
      readonly uri: string;
      readonly name: string;
      readonly mimeType: string;
      readonly size: number;
    };

/** Everything that an API sent, as far as anyone may read it: masked and scrubbed, but not marked, cut or made readable. */
export type WholeReply = { readonly mediaType: string; readonly name: string } & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** It is in the store already. */
  | { readonly kind: 'kept'; readonly file: PlacedFile }
);

/** A reply as MCP content. */
export interface Output {
  readonly content: readonly Content[];
  /** JSON text of `structuredContent`: an object that the tool's output schema takes; null when there is none. */
  readonly structuredText: string | null;
  /** What its record says about it, for the operator. */
  readonly note?: string;
  /** What is told of a reply that is a file, where its content must not be. */
  readonly file?: () => FileFacts;
  /** Made when somebody wants to keep it; absent where the content is all there is. */
  readonly whole?: () => WholeReply;
}

declare const made: unique symbol;

/** One execution of a tool. Only `calls/make-call.ts` makes one, after its checks: nothing else compiles. */
export interface Call {
  readonly [made]: true;
  readonly id: string;
  /** The call that makes this one on its way; null for one that a client asked for. */
  readonly parentId: string | null;
  readonly tool: CompiledTool;
  /** The name the caller used, which a server may have given. */
  readonly toolName: string;
  readonly server: Server;
  readonly caller: Caller;
  readonly client: ClientName | null;
  readonly surface: Surface;
  readonly arguments: unknown;
  readonly signal: Hangup;
  /** The client's own headers, lower-case; only those an API lists are passed on. */
  readonly clientHeaders: Readonly<Record<string, string>> | null;
  /** Its place in a trace, passed upstream; null when there is none. */
  readonly trace: TraceContext | null;
  /** What the caller wants beyond its one request. */
  readonly followUp: FollowUp;
  /** There when another call makes this one for a page of its list, or to see how its job stands. */
  readonly part: CallPart | null;
}

/** What a call that is a part of another has besides its arguments. */
export interface CallPart {
  /** The path with its query that the API itself gave, read in place of what the arguments come to; null when it gave none. */
  readonly target: string | null;
  /** When the other call has to be over, in epoch milliseconds. */
  readonly endsAtMs: number;
  /** Whether its reply is put together with others: the caller reads what they come to, and none by itself. */
  readonly isGathered?: boolean;
}

/** What became of a call. `runCall` always returns one and never rejects. */
export type Outcome =
  | { readonly kind: 'done'; readonly output: Output; readonly status: number }
  | {
      readonly kind: 'failed';
      readonly error: HandrailError;
      /** All that the API said, where the error tells only a part of it. */
      readonly whole?: () => WholeReply;
    }
  /** There is no result yet: an API takes its time. */
  | { readonly kind: 'waiting'; readonly waiting: Waiting };

/** An outcome in a word. */
export function outcomeKind(outcome: Outcome): OutcomeKind {
  switch (outcome.kind) {
    case 'done':
      return 'ok';
    case 'failed':
      return outcome.error.code;
    case 'waiting':
      return 'waiting';
  }
}

/** Everything the record of a call needs; `calls/` redacts and stores it. */
export interface CallTrace {
  readonly call: Call;
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly outcome: Outcome;
  readonly args: Arguments | null;
  /** The files that its arguments name; absent when there are none. */
  readonly files?: OpenedFiles;
  readonly request: SignedRequest | null;
  readonly reply: Reply | null;
  readonly steps: readonly CallStep[];
}

/** How calls take files in and send them on; passed in, as all effects are. */
export interface CallFiles {
  /** The largest file. */
  readonly maxBytes: number;
  /** Makes room for a reply that is a file. */
  receive(call: Call): Promise<FileSink>;
  /** The file under a handle, if the caller may have it; null for any other, whatever the reason. */
  open(call: Call, handle: string): Promise<ReadableFile | null>;
  /** The file at a public address, which is read through the egress guard. */
  fetch(call: Call, url: string, deadlineMs: number): Promise<FetchedFile>;
  /** The handle that an argument's text stands for; null when it is none. */
  handleIn(text: string): string | null;
}

/** A call that somebody keeps an eye on while it runs. */
export interface RunningCall {
  ended(): void;
}

/** The effects a call needs; passed in, so the pipeline itself is pure. */
export interface Effects {
  /** Throws `rate_limited` when the caller, server, tool or API has had its share. */
  readonly admit?: (call: Call) => void | Promise<void>;
  /** Hears of each call when it begins; its trace is filled in as it goes on. */
  readonly begun?: (trace: CallTrace) => RunningCall;
  readonly findCredential: (call: Call) => Promise<OpenCredential | null>;
  /** Tells the credential's owner that the upstream refused it; true when a fresh one can be had for one more try. */
  readonly credentialRejected: (call: Call, credential: OpenCredential) => Promise<boolean>;
  readonly send: Send;
  readonly sendPolicies: SendPolicies;
  /** Adds to a reply that is a page of a list, or says that a job has begun, how whoever called can go on. */
  readonly tellHowToGoOn?: (call: Call, reply: Reply, output: Output, maskSecrets: MaskText) => Output;
  /** Secrets that are stored here, for tools that keep them out of arguments. */
  readonly storedSecrets?: () => readonly string[];
  /** Takes files in and sends them on; without it they are held in memory, and arguments name none. */
  readonly files?: CallFiles;
  /** Runs the script behind a tool; its calls belong to this one. Throws a HandrailError when there is no result. */
  readonly runScript?: (call: Call, script: SavedScript, args: Arguments) => Promise<Output>;
  readonly record: (trace: CallTrace) => void;
  readonly now: () => number;
}

/** Runs a call; `seen` is given the reply of the API as it came, and the request that it answers. */
export type RunCall = (call: Call, seen?: SeeReply) => Promise<Outcome>;

export type SeeReply = (reply: Reply, request: SignedRequest) => void;
