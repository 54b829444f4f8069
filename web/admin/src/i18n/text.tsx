import { createContext, use, useMemo, useState, type ReactNode } from 'react';
import type { TextKey, Texts } from './en.ts';
import { fill } from './fill.ts';
import { keepLanguage, type Language } from './language.ts';

/** Looks a text up and fills its `{places}`. */
export type Translate = (key: TextKey, values?: Readonly<Record<string, string | number>>) => string;

/** The language that is spoken, and how to speak another. */
export interface LanguageContext {
  readonly language: Language;
  readonly t: Translate;
  /** Whether there is a text of this name. */
  readonly has: (key: string) => key is TextKey;
  readonly speak: (language: Language) => Promise<void>;
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
  const [spoken, setSpoken] = useState({ language: initial, texts });
  const value = useMemo<LanguageContext>(
    () => ({
      language: spoken.language,
      has: (key): key is TextKey => Object.hasOwn(spoken.texts, key),
      t: (key, values) => fill(spoken.texts[key], values, spoken.language),
      speak: async (language) => {
        const loaded = await loadTexts(language);
        keepLanguage(language);
        document.documentElement.lang = language;
        setSpoken({ language, texts: loaded });
      },
    }),
    [spoken],
  );
  return <Context value={value}>{children}</Context>;
}

export function useSpeaking(): LanguageContext {
  const speaking = use(Context);
  if (speaking === null) throw new Error('TextProvider is missing');
  return speaking;
}

export function useText(): Translate {
  return useSpeaking().t;
}
