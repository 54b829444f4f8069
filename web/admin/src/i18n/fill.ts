/** A text, or its forms by number. */
export type Text = string | { readonly one: string; readonly other: string };

/** Fills `{places}` in a text; numbers are written the way the language writes them, `count` chooses the form. */
export function fill(
  text: Text,
  values: Readonly<Record<string, string | number>> = {},
  language = 'en',
): string {
  const form =
    typeof text === 'string'
      ? text
      : new Intl.PluralRules(language).select(Number(values['count'] ?? 0)) === 'one'
        ? text.one
        : text.other;
  return form.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === 'number' ? new Intl.NumberFormat(language).format(value) : value;
  });
}
