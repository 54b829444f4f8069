import type { Places } from './reading/places.ts';

/** A text made from a kept reply, and where its records or lines are. */
export interface RecentText {
  readonly content: Buffer;
  readonly places: Places;
}

/** Texts that were made a moment ago and may be needed again, within a memory limit. */
export interface RecentTexts {
  get(key: string): RecentText | undefined;
  add(key: string, text: RecentText): void;
  /** Removes texts that weren't used in time. */
  sweep(): void;
}

const maxAgeMs = 60_000;

/** Keeps texts for a minute, most recently used first, up to a total number of bytes. */
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
      kept.set(key, { text, untilMs: now() + maxAgeMs });
      bytes += text.content.length;
    },
    sweep() {
      for (const [key, { untilMs }] of kept) if (untilMs <= now()) remove(key);
    },
  };
}
