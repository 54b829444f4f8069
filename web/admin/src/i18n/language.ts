export type Language = 'en' | 'es';

const key = 'handrail.language';

/** The language someone chose, else the browser's. */
export function preferredLanguage(): Language {
  let chosen: string | null = null;
  try {
    chosen = localStorage.getItem(key);
  } catch {
    // Storage may be switched off; the browser's language applies.
  }
  return (chosen ?? navigator.language).startsWith('es') ? 'es' : 'en';
}

export function keepLanguage(language: Language): void {
  try {
    localStorage.setItem(key, language);
  } catch {
    // It is spoken until the page is left.
  }
}
