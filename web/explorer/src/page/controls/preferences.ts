/** Remembers a choice of theme or language. If storage is blocked, the choice lasts as long as the page. */
export function remember(name: 'theme' | 'language', value: string): void {
  try {
    localStorage.setItem(`handrail-explorer-${name}`, value);
  } catch {
    // A sandboxed frame has no storage.
  }
}

/** Keeps an access key for this tab, and only for the server whose page is below `base`. An empty key is removed. */
export function keepKey(base: string, key: string): void {
  try {
    if (key === '') sessionStorage.removeItem(keyName(base));
    else sessionStorage.setItem(keyName(base), key);
  } catch {
    // A sandboxed frame has no storage.
  }
}

/** The key stored in this tab for a server, or an empty string. */
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
