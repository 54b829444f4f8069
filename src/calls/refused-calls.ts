import type { Caller, CallRecord, ClientName, RefusalCode, Surface } from '../domain/call.ts';
import { newId } from '../domain/ids.ts';
import { mask, maskTextFor } from '../lib/secrets/mask-secrets.ts';
import { maskedJson } from '../lib/secrets/masked-json.ts';
import { replaceSecretForms } from '../lib/secrets/secret-patterns.ts';
import type { ServerView } from '../registry/snapshot.ts';

/** What is known of a call that was not made. */
export interface RefusedCall {
  readonly code: RefusalCode;
  /** Why, for the operator. */
  readonly message: string;
  readonly serverSlug: string;
  /** As it was asked for; empty where nobody got to say it. */
  readonly toolName: string;
  readonly caller: Caller;
  readonly client: ClientName | null;
  readonly surface: Surface;
  readonly arguments: unknown;
  /** The run of a script that asked for it. */
  readonly parentId: string | null;
}

/** Records what was refused before it became a call: each while they are few, and the number of the rest. */
export interface RefusedCalls {
  note(refused: RefusedCall): void;
  /** Writes how many were not recorded one by one, as far as there is room; now and then, and at the end. */
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

/** How often `sumUp` is to be called. */
export const sumUpEveryMs = 60_000;

// Of one caller on one server, for one reason, until it is summed up.
const perGroup = 5;
const maxGroups = 50;
// Of one reason: so many at once, and so many a minute for ever, which is 14,400 a day.
const burst = 60;
const perMinute = 10;

const longestName = 200;
const longestText = 2_000;

/** Refusals that agree in reason, server and caller. */
interface Group {
  recorded: number;
  missed: number;
  readonly example: RefusedCall;
}

/** Makes it for one process. Whoever floods the gateway meets the limit of its own group first, and hides nobody else's. */
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
    const scrub = (text: string, most: number): string => {
      const clean = maskStored(replaceSecretForms(text.slice(0, 4 * most), mask));
      return clean.length <= most ? clean : `${clean.slice(0, most)}…`;
    };
    const written = withArguments && keep ? maskedJson(refused.arguments ?? {}, 2 * longestText) : null;
    add({
      id: newId('call', now()),
      parentId,
      toolId: null,
      toolName: scrub(toolName, longestName).replace(/[\p{Cc}\p{Cf}]/gu, ''),
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
      argumentsText: written === null ? null : scrub(written, longestText),
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
          // What found no room is told of the next time.
          group.recorded = 0;
        }
      }
    },
  };
}

function sentenceFor(missed: number, { message }: RefusedCall): string {
  return `${missed.toLocaleString('en')} more were refused and not recorded one by one. One of them: ${message}`;
}

/** The refusal of a tool that a server does not show its caller. */
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
      ? 'The server has this tool, but not for this caller, who was told that there is none.'
      : 'The server has no tool of this name, or it is disabled.',
    serverSlug: view.server.slug,
    toolName,
    caller,
    client,
    surface,
    arguments: args,
    parentId,
  };
}
