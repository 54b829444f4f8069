/** The names of the `{{placeholders}}` in a prompt's text, without duplicates. */
export function placesOf(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(/\{\{\s*([^{}\s]+)\s*\}\}/g), (match) => match[1]!))];
}
