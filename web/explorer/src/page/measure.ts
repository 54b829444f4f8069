import { currentLanguage } from './texts.ts';

/** The size of a text in UTF-8. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}

/** A readable size. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${decimal(bytes / 1000)} kB`;
  return `${decimal(bytes / 1_000_000)} MB`;
}

/** A readable duration. */
export function formatDuration(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${decimal(milliseconds / 1000)} s`;
}

/**
 * A rough token count. Tokenizers differ; four letters per token, and one token per character in scripts without
 * spaces, is close enough to see what fits a context.
 */
export function estimateTokens(text: string): number {
  let letters = 0;
  let signs = 0;
  for (const character of text) {
    if ((character.codePointAt(0) ?? 0) > 0x2e7f) signs++;
    else letters++;
  }
  return Math.ceil(letters / 4 + signs);
}

/** A readable count. */
export function formatCount(count: number): string {
  return count.toLocaleString(currentLanguage());
}

function decimal(value: number): string {
  return value.toLocaleString(currentLanguage(), { maximumFractionDigits: value < 10 ? 2 : 1 });
}
