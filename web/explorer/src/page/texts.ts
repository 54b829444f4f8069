import { recall, remember } from './controls/preferences.ts';
import { texts } from './text-table.ts';

export type TextKey = keyof typeof texts;
export type Language = 'en' | 'es';

let language: Language = 'en';

/** The text for a key in the current language. */
export function t(key: TextKey, values: Record<string, string | number> = {}): string {
  const text: string = texts[key][language === 'es' ? 1 : 0];
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole));
}

/** The text for a key that may not be in the table. */
export function textIfKnown(key: string, values: Record<string, string | number>): string | null {
  return Object.hasOwn(texts, key) ? t(key as TextKey, values) : null;
}

/** The current language. */
export function currentLanguage(): Language {
  return language;
}

/** Changes the language without remembering it, for apps that manage the language themselves. */
export function overrideLanguage(next: Language): void {
  language = next;
}

/** Changes the language and remembers it. The caller renders the page again. */
export function setLanguage(next: Language): void {
  language = next;
  document.documentElement.lang = next;
  remember('language', next);
}

/** Applies the remembered language, or the browser's. */
export function startLanguage(): void {
  const wanted = recall('language') ?? navigator.language;
  language = wanted.toLowerCase().startsWith('es') ? 'es' : 'en';
  document.documentElement.lang = language;
}
