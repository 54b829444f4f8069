import { oncePerLanguage } from './once-per-language.ts';

/** A text, or its singular and plural. */
export type Text = string | { readonly one: string; readonly other: string };

// Creating one takes milliseconds on a slow machine, and a table fills hundreds of texts.
const pluralRules = oncePerLanguage((language) => new Intl.PluralRules(language));
const wholeNumbers = oncePerLanguage((language) => new Intl.NumberFormat(language));

/**
 * Fills the `{placeholders}` of a text. Numbers are formatted for the language, and `count` selects the plural form.
 */
export function fill(
  text: Text,
  values: Readonly<Record<string, string | number>> = {},
  language = 'en',
): string {
  const form =
    typeof text === 'string'
      ? text
      : pluralRules(language).select(Number(values['count'] ?? 0)) === 'one'
        ? text.one
        : text.other;
  return form.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === 'number' ? wholeNumbers(language).format(value) : value;
  });
}
