import type { McpContext } from '../context.ts';
import type { EventStream } from './event-stream.ts';
import type { CallerView } from './list-changes.ts';
import type { Session } from './session-token.ts';

/** Limits on what this process keeps for sessions; a session can continue elsewhere without any of it. */
const liveSessionLimits = {
  sessions: 10_000,
  eventsPerStream: 256,
  bytesPerSession: 1024 * 1024,
  streamsPerSession: 32,
  /** How long a finished or broken stream can be resumed. */
  replayMs: 5 * 60 * 1000,
} as const;

interface StoredEvent {
  readonly seq: number;
  readonly text: string;
}

/** A stream of events that can be resumed after a lost connection. */
export interface ResumableStream {
  readonly id: string;
  events: StoredEvent[];
  seq: number;
  sink: EventStream | null;
  done: boolean;
  /** Whether something was sent while the client wasn't connected. */
  undelivered: boolean;
  touchedAtMs: number;
}

/** A running exchange in this process. */
export interface RunningExchange {
  /** Passes a message of the client to the exchange's protocol object. */
  deliver(message: unknown): void;
}

/**
 * What this process knows about a session beyond its token. Losing it on restart does no harm, as the docs explain.
 */
export interface LiveSession {
  readonly session: Session;
  readonly subscriptions: Set<string>;
  logLevel: string | undefined;
  /** Requests of the client that are being answered, by ID. */
  readonly running: Map<string | number, RunningExchange>;
  /** Our own requests that the client has yet to answer, by their ID on the wire. */
  readonly asked: Map<string, RunningExchange>;
  readonly streams: Map<string, ResumableStream>;
  listening: ResumableStream | null;
  /** Who is listening, and what they have been notified of; null until someone has listened. */
  watched: { readonly context: McpContext; readonly seen: CallerView } | null;
}

/** Sessions that were ended by their clients. */
export interface EndedSessions {
  has(id: string): boolean;
  add(id: string, expiresAtMs: number): Promise<void>;
}

/** Keeps the live part of sessions; the least recently used ones are dropped first. */
export function createLiveSessions(ended: EndedSessions) {
  const sessions = new Map<string, LiveSession>();

  const idle = (live: LiveSession) => !live.listening?.sink?.open && live.running.size === 0;

  return {
    of(session: Session): LiveSession {
      let live = sessions.get(session.id);
      if (live) {
        // Re-inserting keeps the map in order of use.
        sessions.delete(session.id);
      } else {
        live = {
          session,
          subscriptions: new Set(),
          logLevel: undefined,
          running: new Map(),
          asked: new Map(),
          streams: new Map(),
          listening: null,
          watched: null,
        };
        if (sessions.size >= liveSessionLimits.sessions) {
          for (const [id, candidate] of sessions) {
            if (!idle(candidate)) continue;
            sessions.delete(id);
            break;
          }
        }
      }
      sessions.set(session.id, live);
      return live;
    },

    peek(session: Session): LiveSession | undefined {
      return sessions.get(session.id);
    },

    byId(id: string): LiveSession | undefined {
      return sessions.get(id);
    },

    /** Ends a session permanently: its token counts as deleted until it would have expired anyway. */
    async end(session: Session): Promise<void> {
      const live = sessions.get(session.id);
      sessions.delete(session.id);
      for (const stream of live?.streams.values() ?? []) stream.sink?.end();
      await ended.add(session.id, session.expiresAtMs);
    },

    isEnded(session: Session): boolean {
      return ended.has(session.id);
    },

    get size(): number {
      return sessions.size;
    },

    all(): Iterable<LiveSession> {
      return sessions.values();
    },

    clear(): void {
      for (const live of sessions.values()) for (const stream of live.streams.values()) stream.sink?.end();
      sessions.clear();
    },
  };
}

/** Adds a stream to a session and drops those that are too old to resume. */
export function addStream(live: LiveSession, id: string, nowMs: number): ResumableStream {
  for (const [key, stream] of live.streams) {
    const old = nowMs - stream.touchedAtMs > liveSessionLimits.replayMs;
    const many = live.streams.size >= liveSessionLimits.streamsPerSession;
    if (!stream.sink?.open && (old || many) && stream !== live.listening) live.streams.delete(key);
  }
  const stream: ResumableStream = {
    id,
    events: [],
    seq: 0,
    sink: null,
    done: false,
    undelivered: false,
    touchedAtMs: nowMs,
  };
  live.streams.set(id, stream);
  return stream;
}

/** Sends an event on a stream and keeps it for a client that lost its connection. */
export function emit(live: LiveSession, stream: ResumableStream, text: string, nowMs: number): void {
  const seq = ++stream.seq;
  stream.touchedAtMs = nowMs;
  stream.events.push({ seq, text });
  if (stream.events.length > liveSessionLimits.eventsPerStream) stream.events.shift();
  let bytes = 0;
  for (const other of live.streams.values()) for (const event of other.events) bytes += event.text.length;
  while (bytes > liveSessionLimits.bytesPerSession && stream.events.length > 1)
    bytes -= stream.events.shift()!.text.length;
  if (stream.sink === null) stream.undelivered = true;
  else stream.sink.write(text, eventId(stream, seq));
}

/** An event's ID: its stream and its sequence number. */
export function eventId(stream: ResumableStream, seq: number): string {
  return `${stream.id}.${seq}`;
}

/** The stream and sequence number where a client left off; null if the ID isn't one of ours. */
export function parseEventId(text: string): { streamId: string; seq: number } | null {
  const match = /^([\w-]{1,40})\.(\d{1,15})$/.exec(text);
  return match ? { streamId: match[1]!, seq: Number(match[2]) } : null;
}
