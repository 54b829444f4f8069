import { keysOf } from '../lib/json/plain-object.ts';
import type { Role } from './person.ts';
import { type ErrorCode, errorCatalog, type Fault } from './errors.ts';

/** Who is behind one call. */
export interface Caller {
  /** Stable id for records, limits and per-caller credentials: `anonymous`, `key:…`, `person:…`, `admin:…`, `oauth:…`, `host:…`, `local`. */
  readonly id: string;
  readonly kind: 'anonymous' | 'key' | 'person' | 'admin' | 'oauth' | 'basic' | 'host' | 'local';
  /** A readable name: of a key or a person. */
  readonly label: string;
  /** The person whose grant this is; absent where none is known, such as a key of a program. */
  readonly person?: CallerPerson;
  /** What a foreign issuer says about its groups and roles; groups match these values. */
  readonly issuerClaims?: { readonly issuer: string; readonly values: readonly string[] };
  /**
   * Tool ids it may call; absent means all of the server's. Scopes, keys, consents and the server's rules for groups all
   * end up here, when the caller is identified: see `src/access/callers.ts`.
   */
  readonly toolIds?: ReadonlySet<string>;
  /** The scopes of its token that allow these tools; set if an access token restricts them. */
  readonly toolScopes?: readonly string[];
  readonly ratePerMinute?: number;
  /** What the app that Handrail is mounted in passed with the request; only there. */
  readonly host?: unknown;
}

/** The person behind a call, as they were when it began. */
export interface CallerPerson {
  readonly id: string;
  readonly role: Role;
  /** Ids of the groups they are a member of. */
  readonly groups: readonly string[];
}

/**
 * Whether a caller may use a tool of the server that it was identified for; tools it may not use are hidden from it. The
 * one answer for lists, search, calls, handles, files, runs and the explorer: whatever restricts a caller restricts its
 * `toolIds`.
 */
export function mayUseTool(caller: Caller, toolId: string): boolean {
  return caller.toolIds === undefined || caller.toolIds.has(toolId);
}

/** The interface a call was made through. */
export type Surface = 'mcp' | 'rest' | 'explorer' | 'cli' | 'stdio' | 'admin';

/** The client program, as it names itself. */
export interface ClientName {
  readonly name: string;
  readonly version?: string;
}

/** One step of a call: where its time went. */
export interface CallStep {
  /** `prepare`, `credential`, `wait` (in the queue, or before a retry), `try` (a failed one), `send`, `shape`. */
  readonly name: string;
  /** From the start of the call. */
  readonly startMs: number;
  readonly durationMs: number;
  /** The result, such as `HTTP 503`. */
  readonly note?: string;
}

/** The outcome of a call as one word, as in records, metrics and traces. */
export type OutcomeKind = 'ok' | 'waiting' | ErrorCode;

/** Whether a call failed; a waiting call has not. */
export function isFailure(outcome: OutcomeKind): boolean {
  return outcome !== 'ok' && outcome !== 'waiting';
}

const codesOf = (...faults: readonly Fault[]): readonly ErrorCode[] =>
  keysOf(errorCatalog).filter((code) => faults.includes(errorCatalog[code].fault));

/** Why a call was not made at all: its caller has no such tool, or was not admitted. */
export const refusalCodes = ['unknown_tool', 'unauthenticated', 'forbidden'] as const satisfies ErrorCode[];

export type RefusalCode = (typeof refusalCodes)[number];

/** Names for groups of outcomes: whose fault it was, and what never became a call. */
export const outcomeGroups = {
  agent: codesOf('caller'),
  api: codesOf('upstream'),
  gateway: codesOf('configuration', 'handrail'),
  refused: refusalCodes,
} as const satisfies Record<string, readonly ErrorCode[]>;

export type OutcomeGroup = keyof typeof outcomeGroups;

/** The outcomes in a group; null if the name is a single outcome, or `error`. */
export function outcomesIn(name: string | undefined): readonly ErrorCode[] | null {
  return name !== undefined && isGroup(name) ? outcomeGroups[name] : null;
}

function isGroup(name: string): name is OutcomeGroup {
  return Object.hasOwn(outcomeGroups, name);
}

/** The stored trace of one call. Redacted before it gets here. */
export interface CallRecord {
  readonly id: string;
  /** The call that this one was made for; null if there is none. */
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
  /** Time until the upstream's reply was complete, without our own work; null if nothing was sent. */
  readonly upstreamMs: number | null;
  readonly upstreamStatus: number | null;
  readonly outcome: OutcomeKind;
  readonly message: string | null;
  readonly tries: number;
  readonly cached: boolean;
  readonly requestBytes: number;
  readonly replyBytes: number;
  /** JSON text of the arguments, redacted and capped; null if contents are not recorded. */
  readonly argumentsText: string | null;
  readonly replyText: string | null;
  /** `GET https://host/path?…` as sent, secrets masked; for a call that failed, followed by its headers and body. */
  readonly requestLine: string | null;
  /** The estimated size of the output for a model. */
  readonly outputTokens: number;
  readonly steps: readonly CallStep[];
  /**
   * The estimated tokens a model read of a reply that it did not read completely; null if it read all of it, 0 for a page
   * that it read only as part of the gathered pages.
   */
  readonly readTokens: number | null;
  /** The text that it read instead; null if there is none, or contents are not recorded. */
  readonly readText: string | null;
  /** The structure of such a reply's records: a `ReplyOutline` as JSON. */
  readonly replyOutline: string | null;
}

/** The estimated tokens of a reply that no model read. */
export function savedTokens({ outputTokens, readTokens }: CallRecord): number {
  return readTokens === null ? 0 : Math.max(0, outputTokens - readTokens);
}

/** The record as if contents had not been recorded; the same record if it has none. */
export function withoutTexts(record: CallRecord): CallRecord {
  const message = record.message?.split('\n', 1)[0] ?? null;
  const { argumentsText, replyText, readText, replyOutline } = record;
  const hasNone = argumentsText === null && replyText === null && readText === null && replyOutline === null;
  return hasNone && message === record.message
    ? record
    : { ...record, message, argumentsText: null, replyText: null, readText: null, replyOutline: null };
}

/** The record without contents from the caller or the API, with the reason, so that it can be kept at all. */
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

/** The position of a call in a distributed trace (https://www.w3.org/TR/trace-context/). */
export interface TraceContext {
  readonly traceId: string;
  /** The span of the call. */
  readonly spanId: string;
  /** The span of the request to the upstream, the parent of the upstream's spans. */
  readonly sendSpanId: string;
  /** The client's span; null if it sent none. */
  readonly parentId: string | null;
  readonly sampled: boolean;
}
