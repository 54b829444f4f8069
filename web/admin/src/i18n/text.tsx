import { createContext, use, useMemo, useState, type ReactNode } from 'react';
import { en, type TextKey, type Texts } from './en.ts';
import { fill } from './fill.ts';

export type Language = 'en' | 'es';

/** Looks a text up and fills its `{places}`. */
export type Translate = (key: TextKey, values?: Readonly<Record<string, string | number>>) => string;

interface Speaking {
  readonly language: Language;
  readonly t: Translate;
  readonly speak: (language: Language) => Promise<void>;
}

const storageKey = 'handrail.language';
const Context = createContext<Speaking | null>(null);

/** The language someone chose, else the browser's. */
export function preferredLanguage(): Language {
  const chosen = localStorage.getItem(storageKey) ?? navigator.language;
  return chosen.startsWith('es') ? 'es' : 'en';
}

/** Loads the texts of a language; English is always there. */
export async function loadTexts(language: Language): Promise<Texts> {
  if (language === 'en') return en;
  return (await import('./es.ts')).es;
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
  const value = useMemo<Speaking>(
    () => ({
      language: spoken.language,
      t: (key, values) => fill(spoken.texts[key], values, spoken.language),
      speak: async (language) => {
        const loaded = await loadTexts(language);
        localStorage.setItem(storageKey, language);
        document.documentElement.lang = language;
        setSpoken({ language, texts: loaded });
      },
    }),
    [spoken],
  );
  return <Context value={value}>{children}</Context>;
}

export function useSpeaking(): Speaking {
  const speaking = use(Context);
  if (speaking === null) throw new Error('TextProvider is missing');
  return speaking;
}

export function useText(): Translate {
  return useSpeaking().t;
}
