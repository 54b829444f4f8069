import { createContext, use, useMemo, useState, type ReactNode } from 'react';
import type { TextKey, Texts } from './en.ts';
import { fill } from './fill.ts';
import { saveLanguage, type Language } from './language.ts';

/** Looks up a text and fills its `{placeholders}`. */
export type Translate = (key: TextKey, values?: Readonly<Record<string, string | number>>) => string;

/** The current language, and how to change it. */
export interface LanguageContext {
  readonly language: Language;
  readonly t: Translate;
  /** Whether there is a text with this key. */
  readonly has: (key: string) => key is TextKey;
  readonly setLanguage: (language: Language) => Promise<void>;
}

const Context = createContext<LanguageContext | null>(null);

/** Fetches the texts of a language. */
export async function loadTexts(language: Language): Promise<Texts> {
  return language === 'es' ? (await import('./es.ts')).es : (await import('./en.ts')).en;
}

export function TextProvider({
  initial,
  texts,
  children,
}: {
  initial: Language;
  texts: Texts;
  children: ReactNode;
}) {
  const [current, setCurrent] = useState({ language: initial, texts });
  const value = useMemo<LanguageContext>(
    () => ({
      language: current.language,
      has: (key): key is TextKey => Object.hasOwn(current.texts, key),
      t: (key, values) => fill(current.texts[key], values, current.language),
      setLanguage: async (language) => {
        const loaded = await loadTexts(language);
        saveLanguage(language);
        document.documentElement.lang = language;
        setCurrent({ language, texts: loaded });
      },
    }),
    [current],
  );
  return <Context value={value}>{children}</Context>;
}

export function useLanguage(): LanguageContext {
  const context = use(Context);
  if (context === null) throw new Error('TextProvider is missing');
  return context;
}

export function useText(): Translate {
  return useLanguage().t;
}
