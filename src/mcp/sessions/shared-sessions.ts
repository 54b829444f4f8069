import { randomBytes } from 'node:crypto';
import type { HttpResponse } from '../../lib/http-exchange.ts';
import type { Siblings } from '../../lib/siblings.ts';
import { type EventStream, openEventStream } from './event-stream.ts';
import { eventId, type LiveSession } from './live-sessions.ts';
import type { Session } from './session-token.ts';

/** Session state that the processes of one gateway share, so that a client can connect to any of them. */
export interface SharedSessions {
  /** Sends the client's subscriptions and log level to the other processes. */
  publishState(live: LiveSession): void;
  /** Resumes a stream that another process keeps; false if none has it. */
  resume(res: HttpResponse, session: Session, from: { streamId: string; seq: number }): Promise<boolean>;
}

/** The live sessions of this process. */
interface LiveSessions {
  of(session: Session): LiveSession;
  byId(id: string): LiveSession | undefined;
}

interface SharedState {
  readonly session: Session;
  readonly subscriptions: readonly string[];
  readonly logLevel: string | null;
}

interface StreamRequest {
  readonly sessionId: string;
  readonly streamId: string;
  readonly afterSeq: number;
  /** Identifies the receiver, for later events. */
  readonly to: string;
}

interface KeptStream {
  readonly events: readonly (readonly [text: string, id: string])[];
  readonly done: boolean;
}

/** Another event of a resumed stream; without a text, its end. */
interface ForwardedEvent {
  readonly to: string;
  readonly text?: string;
  readonly id?: string;
}

/** Shares the sessions of this process with those of its siblings. */
export function shareSessions(sessions: LiveSessions, siblings: Siblings): SharedSessions {
  /** Streams of other processes whose clients are here; events that arrive before a stream is open wait. */
  const taken = new Map<string, { sink: EventStream | null; waiting: ForwardedEvent[] }>();
  /** What to do when a client elsewhere leaves a stream of ours. */
  const elsewhere = new Map<string, () => void>();

  function deliver(to: string, event: ForwardedEvent): void {
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
    const forward = (event: ForwardedEvent) => siblings.tell('stream event', event);
    return {
      get open() {
        return open;
      },
      write: (text, id) => forward({ to, text, ...(id !== undefined && { id }) }),
      // Its client already received a first event.
      prime: () => {},
      end() {
        if (open) forward({ to });
        close();
      },
    };
  }

  siblings.on('session state', (body) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sent by the same version of this program, below
    const { session, subscriptions, logLevel } = body as SharedState;
    const live = sessions.of(session);
    live.subscriptions.clear();
    for (const uri of subscriptions) live.subscriptions.add(uri);
    live.logLevel = logLevel ?? undefined;
  });

  siblings.on('take up stream', (body): KeptStream | null => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sent by the same version of this program, below
    const { sessionId, streamId, afterSeq, to } = body as StreamRequest;
    const live = sessions.byId(sessionId);
    const stream = live?.streams.get(streamId);
    // A client that only listens is served wherever it connects, because every process receives changes.
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

  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sent by the same version of this program, above
  siblings.on('stream event', (body) => deliver((body as ForwardedEvent).to, body as ForwardedEvent));
  siblings.on('stream left', (to) => elsewhere.get(String(to))?.());

  return {
    publishState({ session, subscriptions, logLevel }) {
      const state: SharedState = { session, subscriptions: [...subscriptions], logLevel: logLevel ?? null };
      siblings.tell('session state', state);
    },

    async resume(res, session, { streamId, seq }) {
      const to = randomBytes(9).toString('base64url');
      const stream: { sink: EventStream | null; waiting: ForwardedEvent[] } = { sink: null, waiting: [] };
      taken.set(to, stream);
      const request: StreamRequest = { sessionId: session.id, streamId, afterSeq: seq, to };
      const answers = await siblings.ask('take up stream', request);
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
