/** The most that one question about call records reads, however many there are. Where it stops early, it says so. */
export interface ReadLimits {
  /** Rows: on SQLite those that describe segments or groups of them, on PostgreSQL records. */
  readonly rows: number;
  /** On SQLite, about how many bytes of records. */
  readonly bytes: number;
}

/** For a page. */
export const pageLimits: Readonly<Record<'sqlite' | 'postgres', ReadLimits>> = {
  sqlite: { rows: 2_000, bytes: 8 * 1024 * 1024 },
  postgres: { rows: 50_000, bytes: Infinity },
};

/** For a count. */
export const countLimits: Readonly<Record<'sqlite' | 'postgres', ReadLimits>> = {
  sqlite: { rows: 2_000, bytes: 4 * 1024 * 1024 },
  postgres: { rows: 50_000, bytes: Infinity },
};

/** What one question has read so far. */
export class Reading {
  rows = 0;
  bytes = 0;
  readonly #limits: ReadLimits;

  constructor(limits: ReadLimits) {
    this.#limits = limits;
  }

  get isOver(): boolean {
    return this.rows >= this.#limits.rows || this.bytes >= this.#limits.bytes;
  }
}
