export type Language = 'en' | 'es';

const key = 'handrail.language';

/** The language the user chose, or the browser's. */
export function preferredLanguage(): Language {
  let chosen: string | null = null;
  try {
    chosen = localStorage.getItem(key);
  } catch {
    // If storage is disabled, the browser's language applies.
  }
  return (chosen ?? navigator.language).startsWith('es') ? 'es' : 'en';
}

export function saveLanguage(language: Language): void {
  try {
    localStorage.setItem(key, language);
  } catch {
    // The language then lasts until the page is closed.
  }
}
