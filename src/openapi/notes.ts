import type { ImportNote } from '../domain/description.ts';
import type { Place, Resolver } from './bundle.ts';

const maxNotes = 50;

/** Collects notes about one thing, without duplicates and at most fifty: more would bury the first ones. */
export class Notes {
  readonly #notes = new Map<string, ImportNote>();
  readonly #resolver: Resolver;

  constructor(resolver: Resolver) {
    this.#resolver = resolver;
  }

  add(code: string, message: string, at: Place): void {
    this.addAll([{ code, message, at: this.#resolver.show(at) }]);
  }

  addAll(notes: Iterable<ImportNote>): void {
    for (const note of notes) {
      if (this.#notes.size >= maxNotes) return;
      const key = `${note.code}\n${note.at ?? ''}\n${note.message}`;
      if (!this.#notes.has(key)) this.#notes.set(key, note);
    }
  }

  list(): ImportNote[] {
    return [...this.#notes.values()];
  }
}
