import type { Places } from './reading/places.ts';

/** A text that was made of a kept reply, and where what is in it. */
export interface RecentText {
  readonly content: Buffer;
  readonly places: Places;
}

/** Texts that were made a moment ago and may be asked for again, within a limit of memory. */
export interface RecentTexts {
  get(key: string): RecentText | undefined;
  add(key: string, text: RecentText): void;
  /** Forgets what nobody asked for in time. */
  sweep(): void;
}

const longestMs = 60_000;

/** Keeps texts for a minute, the ones used last first, as far as they are no more than so many bytes together. */
export function createRecentTexts(maxBytes: number, now: () => number): RecentTexts {
  const kept = new Map<string, { readonly text: RecentText; readonly untilMs: number }>();
  let bytes = 0;

  function remove(key: string): void {
    bytes -= kept.get(key)?.text.content.length ?? 0;
    kept.delete(key);
  }

  return {
    get(key) {
      const known = kept.get(key);
      if (known === undefined) return undefined;
      remove(key);
      if (known.untilMs <= now()) return undefined;
      kept.set(key, known);
      bytes += known.text.content.length;
      return known.text;
    },
    add(key, text) {
      remove(key);
      for (const old of kept.keys()) if (bytes + text.content.length > maxBytes) remove(old);
      if (text.content.length > maxBytes) return;
      kept.set(key, { text, untilMs: now() + longestMs });
      bytes += text.content.length;
    },
    sweep() {
      for (const [key, { untilMs }] of kept) if (untilMs <= now()) remove(key);
    },
  };
}
