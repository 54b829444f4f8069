import { readJson } from '../../lib/schema/read-json.ts';
import { jsonValue, list } from '../../lib/schema/schema.ts';
import type { MetaStore } from '../../storage/ports.ts';

/** Which MCP sessions their clients have ended, though their ids would still be good. */
export interface EndedSessions {
  has(id: string): boolean;
  /** Ends a session until it would have expired anyway; resolves when other processes can know. */
  add(id: string, expiresAtMs: number): Promise<void>;
  /** Reads everything that was written, and clears away what has expired. */
  load(): Promise<void>;
  /** Reads what other processes wrote in the last moments. */
  sync(): Promise<void>;
}

type EndedSessionList = readonly (readonly [id: string, expiresAtMs: number])[];

const prefix = 'mcp_sessions_ended:';
const minuteMs = 60_000;
// A client that opens and ends sessions in a loop fills neither the store nor the memory.
const maxPerMinute = 500;
const maxRemembered = 100_000;

/**
 * Makes the memory of one process. What is ended within one minute is one fact of the store for each process, so that
 * nobody writes over another and only the newest facts have to be read again.
 */
export function createEndedSessions(meta: MetaStore, instance: string, now: () => number): EndedSessions {
  const ended = new Map<string, number>();
  let minute = 0;
  let written: EndedSessionList = [];

  function remember(sessions: EndedSessionList): void {
    for (const [id, expiresAtMs] of sessions) {
      if (ended.size >= maxRemembered) ended.delete(ended.keys().next().value!);
      ended.set(id, expiresAtMs);
    }
  }

  const minuteOf = (atMs: number) => Math.floor(atMs / minuteMs);

  return {
    has: (id) => ended.has(id),
    async add(id, expiresAtMs) {
      remember([[id, expiresAtMs]]);
      if (minuteOf(now()) !== minute) {
        minute = minuteOf(now());
        written = [];
      }
      if (written.length >= maxPerMinute) return;
      written = [...written, [id, expiresAtMs]];
      // A store that fails for a moment does not keep a client from leaving: in this process the session has ended.
      await meta.set(`${prefix}${minute}:${instance}`, JSON.stringify(written)).catch(() => {});
    },
    async load() {
      for (const [name, value] of await meta.getAll(prefix)) {
        const read = readEnded(value);
        // A newer version may have written it.
        if (read === null) continue;
        const sessions = read.filter(([, expiresAtMs]) => expiresAtMs > now());
        if (sessions.length === 0) await meta.delete(name);
        remember(sessions);
      }
      for (const [id, expiresAtMs] of ended) if (expiresAtMs <= now()) ended.delete(id);
    },
    async sync() {
      for (const one of [minuteOf(now()) - 1, minuteOf(now())]) {
        for (const [, value] of await meta.getAll(`${prefix}${one}:`)) remember(readEnded(value) ?? []);
      }
    },
  };
}

const pair = list(jsonValue<string | number>(), { min: 2, max: 2 });

/** The sessions that a fact tells of; null when it cannot be read. */
function readEnded(text: string): EndedSessionList | null {
  const pairs = readJson(list(pair, { max: 100_000 }), text);
  if (pairs === null) return null;
  return pairs.flatMap(([id, expiresAtMs]) =>
    typeof id === 'string' && typeof expiresAtMs === 'number' ? [[id, expiresAtMs] as const] : [],
  );
}
