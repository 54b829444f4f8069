/** Remembers a choice of looks or language. Storage may be forbidden; then the choice lasts as long as the page. */
export function remember(name: 'theme' | 'language', value: string): void {
  try {
    localStorage.setItem(`handrail-explorer-${name}`, value);
  } catch {
    // A sandboxed frame has no storage.
  }
}

/** Keeps an access key for this tab alone, and for the one server whose page is below `base`; an empty one is forgotten. */
export function keepKey(base: string, key: string): void {
  try {
    if (key === '') sessionStorage.removeItem(keyName(base));
    else sessionStorage.setItem(keyName(base), key);
  } catch {
    // A sandboxed frame has no storage.
  }
}

/** The key that this tab keeps for a server, or an empty text. */
export function keptKey(base: string): string {
  try {
    return sessionStorage.getItem(keyName(base)) ?? '';
  } catch {
    return '';
  }
}

function keyName(base: string): string {
  return `handrail-explorer-key ${base}`;
}

/** The remembered choice, or null. */
export function recall(name: 'theme' | 'language'): string | null {
  try {
    return localStorage.getItem(`handrail-explorer-${name}`);
  } catch {
    return null;
  }
}
