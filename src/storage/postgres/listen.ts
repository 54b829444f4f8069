import { type ClientConfig, Client } from 'pg';
import type { Logger } from 'pino';
import { randomUUID } from 'node:crypto';
import { objectOr } from '../../lib/json/plain-object.ts';
import type { Hints } from '../../lib/siblings.ts';

const firstPauseMs = 100;
const longestPauseMs = 5_000;
const heartbeatMs = 10_000;

/**
 * Listens on a channel until stopped; `onNotice` receives the text of each notice. After a lost connection it reconnects
 * and calls `onNotice` with an empty text, because notices may have been missed.
 */
export async function listen(
  config: ClientConfig,
  channel: string,
  onNotice: (text: string) => void,
  log?: Pick<Logger, 'warn'>,
): Promise<() => Promise<void>> {
  let stopped = false;
  let client: Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let pauseMs = firstPauseMs;

  const connect = async () => {
    const next = new Client(config);
    // Until it listens, the caller of `connect` retries. If this did too, each failure would double the attempts.
    let isListening = false;
    const onLost = () => {
      if (!isListening) return;
      isListening = false;
      clearInterval(timer);
      next.end().catch(() => {});
      if (!stopped) retry();
    };
    next.on('notification', ({ payload = '' }) => onNotice(payload));
    next.on('error', onLost);
    next.on('end', onLost);
    try {
      await next.connect();
      await next.query(`listen ${channel}`);
    } catch (thrown) {
      next.end().catch(() => {});
      throw thrown;
    }
    if (stopped) {
      await next.end();
      return;
    }
    isListening = true;
    client = next;
    pauseMs = firstPauseMs;
    // A peer that disappeared silently is noticed only by a query.
    timer = setInterval(() => void next.query('select 1').catch(onLost), heartbeatMs);
    timer.unref();
  };

  const retry = () => {
    client = undefined;
    timer = setTimeout(() => void reconnect(), pauseMs);
    timer.unref();
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  };

  const reconnect = async () => {
    try {
      await connect();
    } catch (thrown) {
      log?.warn({ err: thrown }, 'listening for registry changes failed');
      if (!stopped) retry();
      return;
    }
    onNotice('');
  };

  await connect();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await client?.end().catch(() => {});
  };
}

/** Hints that are sent as texts of notices, in addition to the notices without a text that registry changes send. */
interface NotifiedHints {
  readonly hints: Hints;
  /** Receives the text of a notice, from this process or another. */
  hear(text: string): void;
}

/** Makes the hints of one process. */
export function createNotifiedHints(
  notify: (text: string) => Promise<void>,
  log?: Pick<Logger, 'warn'>,
): NotifiedHints {
  const from = randomUUID();
  const hearers = new Map<string, (body: unknown) => unknown>();
  return {
    hints: {
      tell(kind, body = null) {
        notify(JSON.stringify({ from, kind, body })).catch((err: unknown) =>
          log?.warn({ err, kind }, 'other instances could not be notified; they will notice later'),
        );
      },
      on: (kind, hear) => void hearers.set(kind, hear),
    },
    hear(text) {
      const { from: sender, kind, body } = objectOr(parsed(text));
      // The sender is notified too.
      if (sender !== from && typeof kind === 'string') hearers.get(kind)?.(body);
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Another version may send something else.
    return null;
  }
}
