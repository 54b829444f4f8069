import type { ClientConfig } from 'pg';
import { Client } from 'pg';
import type { Logger } from 'pino';

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
