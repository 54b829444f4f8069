import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Siblings } from '../../lib/siblings.ts';
import { type EventStream, openEventStream } from './event-stream.ts';
import { eventId, type LiveSession } from './live-sessions.ts';
import type { Session } from './session-token.ts';

/** What processes of one gateway tell each other of sessions, so that a client may come to any of them. */
export interface SharedSessions {
  /** Tells the others what the client subscribed to, and which log level it wants. */
  tellState(live: LiveSession): void;
  /** Goes on with a stream of answers that another process keeps; false when none has it. */
  takeUp(res: ServerResponse, session: Session, from: { streamId: string; seq: number }): Promise<boolean>;
}

/** Where live sessions of this process are. */
interface LiveSessions {
  of(session: Session): LiveSession;
  byId(id: string): LiveSession | undefined;
}

interface ToldState {
  readonly session: Session;
  readonly subscriptions: readonly string[];
  readonly logLevel: string | null;
}

interface AskedStream {
  readonly sessionId: string;
  readonly streamId: string;
  readonly afterSeq: number;
  /** Names whoever takes it up, for what comes later. */
  readonly to: string;
}

interface KeptStream {
  readonly events: readonly (readonly [text: string, id: string])[];
  readonly done: boolean;
}

/** One more event of a stream that was taken up; without a text, its end. */
interface ToldEvent {
  readonly to: string;
  readonly text?: string;
  readonly id?: string;
}

/** Shares the sessions of this process with those of its siblings. */
export function shareSessions(sessions: LiveSessions, siblings: Siblings): SharedSessions {
  /** Streams of others whose clients are here; what comes before their beginning waits. */
  const taken = new Map<string, { sink: EventStream | null; waiting: ToldEvent[] }>();
  /** How streams of ours end whose clients are elsewhere. */
  const elsewhere = new Map<string, () => void>();

  function deliver(to: string, event: ToldEvent): void {
    const stream = taken.get(to);
    if (stream === undefined) return;
    if (stream.sink === null) stream.waiting.push(event);
    else if (event.text !== undefined) stream.sink.write(event.text, event.id);
    else {
      taken.delete(to);
      stream.sink.end();
    }
  }

  /** A sink whose client is connected to another process. */
  function sinkAt(to: string, onGone: () => void): EventStream {
    let open = true;
    const close = () => {
      open = false;
      elsewhere.delete(to);
    };
    elsewhere.set(to, () => {
      close();
      onGone();
    });
    const tell = (event: ToldEvent) => siblings.tell('stream event', event);
    return {
      get open() {
        return open;
      },
      write: (text, id) => tell({ to, text, ...(id !== undefined && { id }) }),
      // Its client has had a first event.
      prime: () => {},
      end() {
        if (open) tell({ to });
        close();
      },
    };
  }

  siblings.on('session state', (body) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- told by the same version of this program, below
    const { session, subscriptions, logLevel } = body as ToldState;
    const live = sessions.of(session);
    live.subscriptions.clear();
    for (const uri of subscriptions) live.subscriptions.add(uri);
    live.logLevel = logLevel ?? undefined;
  });

  siblings.on('take up stream', (body): KeptStream | null => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- asked by the same version of this program, below
    const { sessionId, streamId, afterSeq, to } = body as AskedStream;
    const live = sessions.byId(sessionId);
    const stream = live?.streams.get(streamId);
    // Whoever only listens does so where it comes: every process hears of changes.
    if (stream === undefined || stream === live?.listening) return null;
    stream.sink?.end();
    if (!stream.done) {
      const sink = sinkAt(to, () => {
        if (stream.sink === sink) stream.sink = null;
      });
      stream.sink = sink;
    }
    return {
      events: stream.events
        .filter(({ seq }) => seq > afterSeq)
        .map(({ seq, text }) => [text, eventId(stream, seq)] as const),
      done: stream.done,
    };
  });

  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- told by the same version of this program, above
  siblings.on('stream event', (body) => deliver((body as ToldEvent).to, body as ToldEvent));
  siblings.on('stream left', (to) => elsewhere.get(String(to))?.());

  return {
    tellState({ session, subscriptions, logLevel }) {
      const state: ToldState = { session, subscriptions: [...subscriptions], logLevel: logLevel ?? null };
      siblings.tell('session state', state);
    },

    async takeUp(res, session, { streamId, seq }) {
      const to = randomBytes(9).toString('base64url');
      const stream: { sink: EventStream | null; waiting: ToldEvent[] } = { sink: null, waiting: [] };
      taken.set(to, stream);
      const asked: AskedStream = { sessionId: session.id, streamId, afterSeq: seq, to };
      const answers = await siblings.ask('take up stream', asked);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- answered by the same version of this program, above
      const kept = answers.find((answer) => answer !== null) as KeptStream | undefined;
      if (kept === undefined) {
        taken.delete(to);
        return false;
      }
      const sink = openEventStream(res, {}, () => {
        taken.delete(to);
        siblings.tell('stream left', to);
      });
      for (const [text, id] of kept.events) sink.write(text, id);
      stream.sink = sink;
      for (const event of stream.waiting) deliver(to, event);
      if (kept.done) {
        taken.delete(to);
        sink.end();
      }
      return true;
    },
  };
}
