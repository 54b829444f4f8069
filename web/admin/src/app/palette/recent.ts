/** A place opened from the palette. */
export interface RecentPlace {
  readonly id: string;
  readonly name: string;
  readonly note: string;
  readonly href: string;
}

const key = 'handrail.recent';
const kept = 5;

/** The places last opened from the palette, newest first. */
export function recentPlaces(): readonly RecentPlace[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(key) ?? '[]');
    return Array.isArray(stored) ? (stored as RecentPlace[]).slice(0, kept) : [];
  } catch {
    // Storage may be disabled or contain something else.
    return [];
  }
}

export function saveRecent({ id, name, note, href }: RecentPlace): void {
  const others = recentPlaces().filter((place) => place.id !== id);
  try {
    sessionStorage.setItem(key, JSON.stringify([{ id, name, note, href }, ...others].slice(0, kept)));
  } catch {
    // No recent places then.
  }
}
