import { type ClientConfig, Client } from 'pg';
import type { Logger } from 'pino';
import { randomUUID } from 'node:crypto';
import { objectOr } from '../../lib/json/plain-object.ts';
import type { Hints } from '../../lib/siblings.ts';

const firstPauseMs = 100;
const longestPauseMs = 5_000;
const heartbeatMs = 10_000;

/**
 * Listens on a channel until told to stop; `onNotice` hears the text of each notice. A lost connection is made anew, and
 * `onNotice` called then too, without a text, because notices may have passed meanwhile.
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
    // Until it listens, whoever waits for `connect` tries again: two who do would be four the next time.
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
    // A peer that vanished without a word is noticed only by asking.
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

/** Hints that travel as texts of notices, beside those that a change of the registry sends without a text. */
interface NotifiedHints {
  readonly hints: Hints;
  /** Takes a text that was notified, by this process or by another. */
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
          log?.warn({ err, kind }, 'other instances could not be told; they will find out'),
        );
      },
      on: (kind, hear) => void hearers.set(kind, hear),
    },
    hear(text) {
      const { from: teller, kind, body } = objectOr(parsed(text));
      // Who notifies is notified too.
      if (teller !== from && typeof kind === 'string') hearers.get(kind)?.(body);
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
