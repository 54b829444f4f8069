/** The other processes of one gateway. Messages may be lost if a process ends. */
export interface Siblings {
  /** Sends a message to all others; those that handle its kind receive it. */
  tell(kind: string, body?: unknown): void;
  /** Asks all others; returns the answers that arrived in time. */
  ask(kind: string, body?: unknown): Promise<readonly unknown[]>;
  /** Handles a kind of message; the return value is the answer. */
  on(kind: string, hear: (body: unknown) => unknown): void;
}

/**
 * Messages between processes that only save time: they may be lost, and everything in them can be found out
 * again.
 */
export type Hints = Pick<Siblings, 'tell' | 'on'>;
