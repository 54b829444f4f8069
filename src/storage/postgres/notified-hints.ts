import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { objectOr } from '../../lib/json/plain-object.ts';
import type { Hints } from '../../lib/siblings.ts';

/** Hints that travel as texts of notices, beside those that a change of the registry sends without a text. */
export interface NotifiedHints {
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
