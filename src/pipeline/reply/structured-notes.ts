/** The member of structured content that has what only the text says otherwise; the API's own members are next to it. */
const ownKey = 'handrail';

/**
 * Structured content that also says what follows the reply in its text, such as how to request the next page: some
 * clients show a model nothing else.
 */
export function withStructuredNotes(structuredText: string, notes: readonly string[]): string {
  const end = structuredText.lastIndexOf('}');
  if (notes.length === 0 || end === -1 || structuredText.includes(`"${ownKey}"`)) return structuredText;
  const isEmpty = structuredText.slice(0, end).trimEnd().endsWith('{');
  return `${structuredText.slice(0, end)}${isEmpty ? '' : ','}"${ownKey}":${JSON.stringify({ notes })}}`;
}

/** Structured content for a reply that has none, where the tool promised some. */
export function structureOfText(text: string): string {
  return JSON.stringify({ [ownKey]: { text } });
}
