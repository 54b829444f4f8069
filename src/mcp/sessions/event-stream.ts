import type { HttpResponse } from '../../lib/http-exchange.ts';

const keepAliveMs = 15_000;
/** A client that lets this much accumulate isn't reading; its stream is cut and it can resume. */
const maxBufferedBytes = 4 * 1024 * 1024;

/** One open server-sent event stream on a response. */
export interface EventStream {
  readonly open: boolean;
  write(text: string, eventId?: string): void;
  /** Sends the first event of a resumable stream: an ID without a message. */
  prime(eventId: string): void;
  end(): void;
}

/** Turns a response into an event stream. `onGone` is called once, if the client disconnects before `end`. */
export function openEventStream(
  res: HttpResponse,
  headers: Readonly<Record<string, string>>,
  onGone: () => void,
): EventStream {
  let open = true;
  res.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    // Asks proxies not to buffer events.
    'x-accel-buffering': 'no',
    ...headers,
  });
  res.flushHeaders();
  const keepAlive = setInterval(() => push(': keepalive\n\n'), keepAliveMs);
  keepAlive.unref();

  const close = () => {
    open = false;
    clearInterval(keepAlive);
  };
  const leave = () => {
    if (!open) return;
    close();
    onGone();
  };
  // The client may have disconnected before there was a listener for it.
  if (res.destroyed) {
    close();
    process.nextTick(onGone);
  } else res.once('close', leave);

  function push(frame: string): void {
    if (!open) return;
    res.write(frame);
    if (res.writableLength > maxBufferedBytes) res.destroy();
  }

  return {
    get open() {
      return open;
    },
    write(text, eventId) {
      push(
        eventId === undefined
          ? `event: message\ndata: ${text}\n\n`
          : `event: message\nid: ${eventId}\ndata: ${text}\n\n`,
      );
    },
    prime(eventId) {
      push(`id: ${eventId}\nretry: 1000\ndata: \n\n`);
    },
    end() {
      if (!open) return;
      close();
      res.end();
    },
  };
}
