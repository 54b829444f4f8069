import type { StreamedReply } from '../contract/route.ts';

const beatEveryMs = 15_000;
// A reader that cannot keep up loses events rather than filling our memory.
const mostWaiting = 1_000;

/** Sends one named event with JSON data. */
export type SendEvent = (name: string, value: unknown) => void;

/**
 * A stream of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) that lasts until
 * the reader leaves. `subscribe` is handed the way to send and returns how to stop.
 */
export function eventStream(signal: AbortSignal, subscribe: (send: SendEvent) => () => void): StreamedReply {
  return { type: 'text/event-stream', pieces: events(signal, subscribe) };
}

async function* events(
  signal: AbortSignal,
  subscribe: (send: SendEvent) => () => void,
): AsyncGenerator<string> {
  const waiting: string[] = [];
  let lost = 0;
  let wake: () => void = () => {};
  const onAbort = () => wake();
  signal.addEventListener('abort', onAbort);
  const beat = setInterval(() => {
    waiting.push(': still here\n\n');
    wake();
  }, beatEveryMs);
  const stop = subscribe((name, value) => {
    if (waiting.length >= mostWaiting) {
      lost++;
      return;
    }
    waiting.push(`event: ${name}\ndata: ${JSON.stringify(value)}\n\n`);
    wake();
  });
  try {
    yield 'retry: 2000\n\n';
    while (!signal.aborted) {
      if (waiting.length === 0) {
        await new Promise<void>((resolve) => (wake = resolve));
        continue;
      }
      if (lost > 0) waiting.push(`event: lost\ndata: ${JSON.stringify({ count: lost })}\n\n`);
      lost = 0;
      yield waiting.splice(0).join('');
    }
  } finally {
    stop();
    clearInterval(beat);
    signal.removeEventListener('abort', onAbort);
  }
}
