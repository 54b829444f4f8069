import { keysOf } from '../lib/json/plain-object.ts';
import { type ErrorCode, errorCatalog, type Fault } from './errors.ts';

/** Who is behind one call. */
export interface Caller {
  /** Stable id for records, limits and per-caller credentials: `anonymous`, `key:…`, `admin:…`, `oauth:…`, `local`. */
  readonly id: string;
  readonly kind: 'anonymous' | 'key' | 'admin' | 'oauth' | 'basic' | 'local';
  /** What people call it: a key's name, an admin's name. */
  readonly label: string;
  /** Tool ids it may call; absent means all of the server's. */
  readonly toolIds?: ReadonlySet<string>;
  /** The scopes of its token that opened these tools; there when an access token narrowed them. */
  readonly toolScopes?: readonly string[];
  readonly ratePerMinute?: number;
}

/** Whether a caller may call a tool; what it may not call it does not see either. */
export function mayCall(caller: Caller, toolId: string): boolean {
  return caller.toolIds === undefined || caller.toolIds.has(toolId);
}

/** The way a call came in. */
export type Surface = 'mcp' | 'rest' | 'explorer' | 'cli' | 'stdio' | 'admin';

/** The client program, as it names itself. */
export interface ClientName {
  readonly name: string;
  readonly version?: string;
}

/** One step of a call: where its time went. */
export interface CallStep {
  /** `prepare`, `credential`, `wait` (in line, or before another try), `try` (one that failed), `send`, `shape`. */
  readonly name: string;
  /** From the beginning of the call. */
  readonly startMs: number;
  readonly durationMs: number;
  /** What came of it, such as `HTTP 503`. */
  readonly note?: string;
}

/** What became of a call, in a word: as records, metrics and traces tell it. */
export type OutcomeKind = 'ok' | 'waiting' | ErrorCode;

/** Whether a call failed; one that waits has not. */
export function isFailure(outcome: OutcomeKind): boolean {
  return outcome !== 'ok' && outcome !== 'waiting';
}

const codesOf = (...faults: readonly Fault[]): readonly ErrorCode[] =>
  keysOf(errorCatalog).filter((code) => faults.includes(errorCatalog[code].fault));

/** Why a call was not made at all: there is no such tool for its caller, or the caller was not let in. */
export const refusalCodes = ['unknown_tool', 'unauthenticated', 'forbidden'] as const satisfies ErrorCode[];

export type RefusalCode = (typeof refusalCodes)[number];

/** Names for several outcomes at once: whose mistake it was, and what never became a call. */
export const outcomeGroups = {
  agent: codesOf('caller'),
  api: codesOf('upstream'),
  gateway: codesOf('configuration', 'handrail'),
  refused: refusalCodes,
} as const satisfies Record<string, readonly ErrorCode[]>;

export type OutcomeGroup = keyof typeof outcomeGroups;

/** The outcomes that a name stands for; null when it names a single one, or `error`. */
export function outcomesIn(name: string | undefined): readonly ErrorCode[] | null {
  return name !== undefined && isGroup(name) ? outcomeGroups[name] : null;
}

function isGroup(name: string): name is OutcomeGroup {
  return Object.hasOwn(outcomeGroups, name);
}

/** The stored trace of one call. Redacted before it gets here. */
export interface CallRecord {
  readonly id: string;
  /** The call that this one was made for; null when it stands for itself. */
  readonly parentId: string | null;
  readonly toolId: string | null;
  readonly toolName: string;
  readonly apiSlug: string | null;
  readonly serverSlug: string;
  readonly surface: Surface;
  readonly callerId: string;
  readonly callerLabel: string;
  readonly clientName: string | null;
  readonly clientVersion: string | null;
  readonly startedAtMs: number;
  readonly durationMs: number;
  /** Time until the upstream's reply was complete, without our own work; null when nothing was sent. */
  readonly upstreamMs: number | null;
  readonly upstreamStatus: number | null;
  readonly outcome: OutcomeKind;
  readonly message: string | null;
  readonly tries: number;
  readonly cached: boolean;
  readonly requestBytes: number;
  readonly replyBytes: number;
  /** JSON text of the arguments, redacted and capped; null when recording of contents is off. */
  readonly argumentsText: string | null;
  readonly replyText: string | null;
  /** `GET https://host/path?…` as sent, secrets masked. */
  readonly requestLine: string | null;
  /** What the output costs a model, estimated. */
  readonly outputTokens: number;
  readonly steps: readonly CallStep[];
  /**
   * What a model read of a reply that it did not read whole, in tokens, estimated; null when it read all of it, 0 for a page
   * that it read only as part of what was gathered.
   */
  readonly readTokens: number | null;
  /** The words that it read instead; null when there are none, or contents are not recorded. */
  readonly readText: string | null;
  /** What the records of such a reply look like: a `ReplyOutline` as JSON. */
  readonly replyOutline: string | null;
}

/** The tokens of a reply that no model read, estimated. */
export function savedTokens({ outputTokens, readTokens }: CallRecord): number {
  return readTokens === null ? 0 : Math.max(0, outputTokens - readTokens);
}

/** The record without what a caller or an API wrote into it, and why: so that it is kept at all. */
export function withoutContents(record: CallRecord, why: string): CallRecord {
  return {
    ...record,
    clientName: null,
    clientVersion: null,
    message: `Recorded without its contents: ${why}.`,
    argumentsText: null,
    replyText: null,
    requestLine: null,
    steps: [],
    readText: null,
    replyOutline: null,
  };
}

/** Where a call stands in a distributed trace (https://www.w3.org/TR/trace-context/). */
export interface TraceContext {
  readonly traceId: string;
  /** The call itself. */
  readonly spanId: string;
  /** The request to the upstream, which its own spans hang from. */
  readonly sendSpanId: string;
  /** The client's span, when it sent one. */
  readonly parentId: string | null;
  readonly sampled: boolean;
}
