/** About how many tokens a model needs for a text: four bytes each, the usual rule of thumb for English and JSON. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}
