import { createParser } from 'eventsource-parser';
import { urlFor } from './url-for.ts';
import { send } from './client.ts';
import { ProblemError } from './problem.ts';
import type { QueryOf, Route, RouteAt } from './routes.ts';

type StreamPath = Extract<Route, { method: 'GET'; stream: readonly string[] }>['path'];

/** One event of a stream. */
interface StreamEvent {
  readonly name: string;
  readonly text: string;
}

const minWaitMs = 1_000;
const maxWaitMs = 30_000;

/**
 * Follows an event stream until stopped, and reconnects when the connection is lost. Events sent before `onOpen` are
 * missed, on each connection. Uses fetch because EventSource cannot send the admin token.
 */
export function follow<P extends StreamPath>(
  path: P,
  query: QueryOf<RouteAt<'GET', P>>,
  onEvent: (event: StreamEvent) => void,
  onOpen: () => void,
): () => void {
  const stop = new AbortController();
  void (async () => {
    let waitMs = minWaitMs;
    while (!stop.signal.aborted) {
      try {
        const response = await send(`/api/v1${urlFor(path, {}, query as Record<string, unknown>)}`, {
          headers: { accept: 'text/event-stream' },
          signal: stop.signal,
        });
        onOpen();
        const parser = createParser({
          onEvent: ({ event = 'message', data }) => onEvent({ name: event, text: data }),
        });
        const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
        for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
          waitMs = minWaitMs;
          parser.feed(piece.value);
        }
      } catch (error) {
        if (
          error instanceof ProblemError &&
          error.status >= 400 &&
          error.status < 500 &&
          error.status !== 429
        )
          return;
      }
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      waitMs = Math.min(waitMs * 2, maxWaitMs);
    }
  })();
  return () => stop.abort();
}
