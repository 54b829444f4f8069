/** The names of the `{{places}}` in a prompt's text, each once. */
export function placesOf(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(/\{\{\s*([^{}\s]+)\s*\}\}/g), (match) => match[1]!))];
}
