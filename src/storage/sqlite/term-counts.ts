import type { TermField } from './call-segment.ts';

/** Counts how many calls of a segment have which value of one field. */
export class TermCounts {
  readonly #counts = new Map<string, number>();

  add(value: string | number | boolean | null, calls: number): void {
    if (value === null) return;
    const text = String(value);
    this.#counts.set(text, (this.#counts.get(text) ?? 0) + calls);
  }

  /** Its part of the JSON of a segment's terms. */
  text(field: TermField): string {
    const counts = Array.from(this.#counts, ([value, count]) => `${JSON.stringify(value)}:${count}`);
    return `"${field}":{${counts.join()}}`;
  }
}
