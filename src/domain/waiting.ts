/** Why a call has no result yet, and how its caller can get one. */
export interface Waiting {
  /** The id of the call that started the wait; stays the same no matter how often it is asked for. */
  readonly id: string;
  /** `person`: someone must decide, and nothing was sent yet. `api`: it was sent, and the API has not finished. */
  readonly for: 'person' | 'api';
  /** A sentence that says what it is waiting for. */
  readonly message: string;
  /** In epoch milliseconds. */
  readonly sinceMs: number;
  /** How long to wait before asking again; null if unknown. */
  readonly askAgainAfterMs: number | null;
  /** When it ends without a result, in epoch milliseconds; null if never. */
  readonly expiresAtMs: number | null;
  /** How to ask again, if not by repeating the call: a sentence that names another call. */
  readonly how?: string;
}

/**
 * What it is waiting for and how to ask again, for people and models. By default, asking again means repeating the call:
 * every client can do that, and the id shows people which call is meant.
 */
export function waitingText(waiting: Waiting): string {
  const { id, message, sinceMs, askAgainAfterMs, expiresAtMs, how } = waiting;
  const when = askAgainAfterMs === null ? '' : ` in ${Math.max(1, Math.ceil(askAgainAfterMs / 1_000))} s`;
  const lines = [
    message,
    `There is no result yet: waiting for ${waiting.for === 'person' ? 'a person' : 'the API'} since ${time(sinceMs)} (${id}).`,
    how ?? `To ask again, make the same call with the same arguments${when}.`,
  ];
  if (expiresAtMs !== null) lines.push(`It expires at ${time(expiresAtMs)}.`);
  return lines.join('\n');
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}
