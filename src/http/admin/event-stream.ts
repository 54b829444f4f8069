import type { StreamedReply } from '../contract/route.ts';

const beatEveryMs = 15_000;
// A reader that can't keep up loses events, so that they don't fill our memory.
const maxWaiting = 1_000;

/** Sends one named event with JSON data. */
export type SendEvent = (name: string, value: unknown) => void;

/**
 * A stream of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) that lasts until
 * the reader disconnects. `subscribe` receives the send function and returns the one that unsubscribes.
 */
export function eventStream(signal: AbortSignal, subscribe: (send: SendEvent) => () => void): StreamedReply {
  return { type: 'text/event-stream', pieces: events(signal, subscribe) };
}

/**
 * A stream of server-sent events about a task, which ends when the task does. It never drops events, so the task must
 * send a bounded number of them.
 */
export function workStream(work: (send: SendEvent) => Promise<unknown>): StreamedReply {
  return { type: 'text/event-stream', pieces: eventsOf(work) };
}

async function* eventsOf(work: (send: SendEvent) => Promise<unknown>): AsyncGenerator<string> {
  const waiting: string[] = [];
  let wake: () => void = () => {};
  const state = { isDone: false };
  const beat = setInterval(() => {
    waiting.push(': still here\n\n');
    wake();
  }, beatEveryMs);
  const working = work((name, value) => {
    waiting.push(`event: ${name}\ndata: ${JSON.stringify(value)}\n\n`);
    wake();
  }).finally(() => {
    state.isDone = true;
    wake();
  });
  // If the reader has left, no one awaits this promise.
  working.catch(() => {});
  try {
    while (!state.isDone || waiting.length > 0) {
      if (waiting.length > 0) yield waiting.splice(0).join('');
      else await new Promise<void>((resolve) => (wake = resolve));
    }
    await working;
  } finally {
    clearInterval(beat);
  }
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
    if (waiting.length >= maxWaiting) {
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
