/** A placeholder of a body template: `{{name}}`, as HandsAI writes them. */
export const bodyPlaceholder = /\{\{\s*([^{}\s]+)\s*\}\}/g;

/** The names that a body template has places for, in order. */
export function bodyPlaceholders(template: string): string[] {
  return [...template.matchAll(bodyPlaceholder)].map((match) => match[1]!);
}
