/** Why a call has no result yet, and how whoever asked for it comes by one. */
export interface Waiting {
  /** Stays the same however often it is asked for: the id of the call with which the waiting began. */
  readonly id: string;
  /** `person`: somebody must decide, and nothing was sent before. `api`: it was sent, and the API takes its time. */
  readonly for: 'person' | 'api';
  /** A sentence that says what is waited for. */
  readonly message: string;
  /** In epoch milliseconds. */
  readonly sinceMs: number;
  /** How long to leave it before asking again; null when that cannot be told. */
  readonly askAgainAfterMs: number | null;
  /** When it ends without a result, in epoch milliseconds; null when it does not by itself. */
  readonly expiresAtMs: number | null;
  /** How to ask again where that is not to make the same call once more: a sentence that names another call. */
  readonly how?: string;
}

/**
 * What is waited for and how to ask again, for people and models alike. Unless it says otherwise, to ask again is to make
 * the same call once more: every client of every surface can do that, and the id tells people which call is meant.
 */
export function waitingText(waiting: Waiting): string {
  const { id, message, sinceMs, askAgainAfterMs, expiresAtMs, how } = waiting;
  const when = askAgainAfterMs === null ? '' : ` in ${Math.max(1, Math.ceil(askAgainAfterMs / 1_000))} s`;
  const lines = [
    message,
    `There is no result yet: waiting for ${waiting.for === 'person' ? 'a person' : 'the API'} since ${time(sinceMs)} (${id}).`,
    how ?? `To ask again, make the same call with the same arguments${when}.`,
  ];
  if (expiresAtMs !== null) lines.push(`After ${time(expiresAtMs)} it is given up.`);
  return lines.join('\n');
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}
