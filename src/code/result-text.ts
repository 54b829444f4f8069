/** What a script returned, as it is read: a text by itself without its quotes. */
export function readableResult(text: string): { readonly text: string; readonly mediaType: string } {
  if (text === '') return { text: 'The script returned nothing.', mediaType: 'text/plain' };
  const value: unknown = text.startsWith('"') ? JSON.parse(text) : null;
  return typeof value === 'string' && value !== ''
    ? { text: value, mediaType: 'text/plain' }
    : { text, mediaType: 'application/json' };
}
