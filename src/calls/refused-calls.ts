import type { Caller, CallRecord, ClientName, RefusalCode, Surface } from '../domain/call.ts';
import { newId } from '../domain/ids.ts';
import { mask, maskTextFor } from '../lib/secrets/mask-secrets.ts';
import { maskedJson } from '../lib/secrets/masked-json.ts';
import { replaceSecretForms } from '../lib/secrets/secret-patterns.ts';
import type { ServerView } from '../registry/snapshot.ts';

/** A call that was rejected before it was made. */
export interface RefusedCall {
  readonly code: RefusalCode;
  /** Why, for the operator. */
  readonly message: string;
  readonly serverSlug: string;
  /** As the caller sent it; empty if the caller was rejected before naming a tool. */
  readonly toolName: string;
  readonly caller: Caller;
  readonly client: ClientName | null;
  readonly surface: Surface;
  readonly arguments: unknown;
  /** The run of a script that tried to make it. */
  readonly parentId: string | null;
}

/** Records calls that were rejected before they were made: individually while there are few, then as a count. */
export interface RefusedCalls {
  note(refused: RefusedCall): void;
  /**
   * Records how many were not recorded individually, within the record limits. Called periodically, and once at the
   * end.
   */
  sumUp(isLast?: boolean): void;
}

export interface RefusedCallsOptions {
  readonly add: (record: CallRecord) => void;
  /** Counts each of them, recorded or not. */
  readonly count: (serverSlug: string, code: RefusalCode) => void;
  readonly keepsContents: () => boolean;
  readonly storedSecrets: () => readonly string[];
  readonly now: () => number;
}

/** The interval between calls of `sumUp`. */
export const sumUpEveryMs = 60_000;

// Per caller, server and reason, between two summaries.
const perGroup = 5;
const maxGroups = 50;
// Per reason: a burst, and then so many per minute, which is 14,400 a day.
const burst = 60;
const perMinute = 10;

const maxNameLength = 200;
const maxTextLength = 2_000;

/** Rejected calls with the same reason, server and caller. */
interface Group {
  recorded: number;
  missed: number;
  readonly example: RefusedCall;
}

/**
 * Creates it for one process. A caller that floods the gateway hits the limit of its own group first, so it can't
 * hide the calls of others.
 */
export function createRefusedCalls(options: RefusedCallsOptions): RefusedCalls {
  const { add, count, keepsContents, now } = options;
  const groups = new Map<string, Group>();
  const room = new Map<RefusalCode, { left: number; atMs: number }>();

  function hasRoom(code: RefusalCode): boolean {
    const nowMs = now();
    const { left, atMs } = room.get(code) ?? { left: burst, atMs: nowMs };
    const passedMs = Math.max(0, nowMs - atMs);
    const filled = Math.min(burst, left + (passedMs / 60_000) * perMinute);
    room.set(code, { left: filled < 1 ? filled : filled - 1, atMs: nowMs });
    return filled >= 1;
  }

  function groupOf(refused: RefusedCall): Group {
    const { code, serverSlug, caller } = refused;
    const full = `${code}\n${serverSlug}\n${caller.id}`;
    const key = groups.has(full) || groups.size < maxGroups ? full : code;
    let group = groups.get(key);
    if (group === undefined) groups.set(key, (group = { recorded: 0, missed: 0, example: refused }));
    return group;
  }

  function record(refused: RefusedCall, message: string, withArguments: boolean): void {
    const { code, serverSlug, toolName, caller, client, surface, parentId } = refused;
    const keep = keepsContents();
    const maskStored = maskTextFor(options.storedSecrets());
    const scrub = (text: string, max: number): string => {
      const clean = maskStored(replaceSecretForms(text.slice(0, 4 * max), mask));
      return clean.length <= max ? clean : `${clean.slice(0, max)}…`;
    };
    const written = withArguments && keep ? maskedJson(refused.arguments ?? {}, 2 * maxTextLength) : null;
    add({
      id: newId('call', now()),
      parentId,
      toolId: null,
      toolName: scrub(toolName, maxNameLength).replace(/[\p{Cc}\p{Cf}]/gu, ''),
      apiSlug: null,
      serverSlug,
      surface,
      callerId: caller.id,
      callerLabel: caller.label,
      clientName: client === null ? null : scrub(client.name, 200),
      clientVersion: client?.version === undefined ? null : scrub(client.version, 100),
      startedAtMs: now(),
      durationMs: 0,
      upstreamMs: null,
      upstreamStatus: null,
      outcome: code,
      message: scrub(message, 1_000),
      tries: 0,
      cached: false,
      requestBytes: 0,
      replyBytes: 0,
      argumentsText: written === null ? null : scrub(written, maxTextLength),
      replyText: null,
      requestLine: null,
      outputTokens: 0,
      steps: [],
      readTokens: null,
      readText: null,
      replyOutline: null,
    });
  }

  return {
    note(refused) {
      count(refused.serverSlug, refused.code);
      const group = groupOf(refused);
      if (group.recorded < perGroup && hasRoom(refused.code)) {
        group.recorded++;
        record(refused, refused.message, true);
      } else {
        group.missed++;
      }
    },

    sumUp(isLast = false) {
      for (const [key, group] of groups) {
        const { missed, example } = group;
        if (missed === 0 || isLast || hasRoom(example.code)) {
          groups.delete(key);
          if (missed > 0) record(example, sentenceFor(missed, example), false);
        } else {
          // Over the limit: summarized the next time.
          group.recorded = 0;
        }
      }
    },
  };
}

function sentenceFor(missed: number, { message }: RefusedCall): string {
  return `${missed.toLocaleString('en')} more were rejected and not recorded individually. One of them: ${message}`;
}

/** The rejection of a tool that a server does not show this caller. */
export function refusedTool(
  asked: Pick<RefusedCall, 'toolName' | 'caller' | 'client' | 'surface' | 'arguments'> & {
    readonly view: Pick<ServerView, 'server' | 'byName'>;
    readonly parentId?: string;
  },
): RefusedCall {
  const { view, toolName, caller, client, surface, arguments: args, parentId = null } = asked;
  const isHidden = view.byName.has(toolName);
  return {
    code: isHidden ? 'forbidden' : 'unknown_tool',
    message: isHidden
      ? 'The server has this tool, but this caller may not call it and was answered that it does not exist.'
      : 'The server has no tool with this name, or it is disabled.',
    serverSlug: view.server.slug,
    toolName,
    caller,
    client,
    surface,
    arguments: args,
    parentId,
  };
}
