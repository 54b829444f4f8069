/** The other processes of one gateway; what is said to them may be lost with one that ends. */
export interface Siblings {
  /** Tells all others; whoever wants to hear it has `on`. */
  tell(kind: string, body?: unknown): void;
  /** Asks all others; what those answered who answered in time. */
  ask(kind: string, body?: unknown): Promise<readonly unknown[]>;
  /** Hears what others tell or ask; what it returns is the answer. */
  on(kind: string, hear: (body: unknown) => unknown): void;
}

/** What processes tell each other to save time. It may be lost, and says nothing that could not be found out again. */
export type Hints = Pick<Siblings, 'tell' | 'on'>;
