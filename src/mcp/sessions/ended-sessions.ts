import { readJson } from '../../lib/schema/read-json.ts';
import { jsonValue, list } from '../../lib/schema/schema.ts';
import type { MetaStore } from '../../storage/ports.ts';

/** MCP sessions that were ended by their clients before they expired. */
export interface EndedSessions {
  has(id: string): boolean;
  /** Ends a session until it would have expired anyway; resolves when other processes can see it. */
  add(id: string, expiresAtMs: number): Promise<void>;
  /** Reads everything that was written, and deletes what has expired. */
  load(): Promise<void>;
  /** Reads what other processes wrote recently. */
  sync(): Promise<void>;
}

type EndedSessionList = readonly (readonly [id: string, expiresAtMs: number])[];

const prefix = 'mcp_sessions_ended:';
const minuteMs = 60_000;
// A client that opens and ends sessions in a loop must not fill the store or the memory.
const maxPerMinute = 500;
const maxRemembered = 100_000;

/**
 * Creates the list for one process. Sessions ended within one minute are one fact in the store per process, so that
 * no process overwrites another and only the newest facts have to be read again.
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
      // A brief store failure must not keep a client from leaving: in this process the session has ended.
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

/** The sessions listed in a fact; null if it can't be read. */
function readEnded(text: string): EndedSessionList | null {
  const pairs = readJson(list(pair, { max: 100_000 }), text);
  if (pairs === null) return null;
  return pairs.flatMap(([id, expiresAtMs]) =>
    typeof id === 'string' && typeof expiresAtMs === 'number' ? [[id, expiresAtMs] as const] : [],
  );
}
