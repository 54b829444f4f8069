/** About how many tokens a model needs for a text: four bytes each, the usual rule of thumb for English and JSON. */
export function estimateTokens(text: string): number {
  return tokensOfBytes(Buffer.byteLength(text));
}

/** The same for a text of so many bytes. */
export function tokensOfBytes(bytes: number): number {
  return Math.ceil(bytes / 4);
}
