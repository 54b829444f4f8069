/** Remembers a choice of looks or language. Storage may be forbidden; then the choice lasts as long as the page. */
export function remember(name: 'theme' | 'language', value: string): void {
  try {
    localStorage.setItem(`handrail-explorer-${name}`, value);
  } catch {
    // A sandboxed frame has no storage.
  }
}

/** The remembered choice, or null. */
export function recall(name: 'theme' | 'language'): string | null {
  try {
    return localStorage.getItem(`handrail-explorer-${name}`);
  } catch {
    return null;
  }
}
