const key = 'handrail.call-views';
const maxViews = 20;

/** The filters that were saved in this browser, as addresses have them. */
export function savedViews(): readonly string[] {
  try {
    const saved: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(saved) ? saved.filter((view) => typeof view === 'string') : [];
  } catch {
    // The browser keeps nothing, or something else.
    return [];
  }
}

/** Replaces them; the oldest go first. */
export function saveViews(views: readonly string[]): void {
  try {
    localStorage.setItem(key, JSON.stringify(views.slice(-maxViews)));
  } catch {
    // They last as long as the page.
  }
}
