import { countTokens as count } from 'gpt-tokenizer/encoding/o200k_base';

// A word of any length is one piece to the tokenizer, which takes time by the square of its length: longer ones are cut.
const longRuns = /[\p{L}\p{M}]{200}|[^\s\p{L}\p{M}\p{N}]{200}|\s{200}/gu;

/** How many tokens a text is for the models of the o200k family. Slow to load: for a thread of its own. */
export function countTokens(text: string): number {
  let tokens = 0;
  let from = 0;
  for (const { index, 0: run } of text.matchAll(longRuns)) {
    tokens += count(text.slice(from, index + run.length), asText);
    from = index + run.length;
  }
  return tokens + count(text.slice(from), asText);
}

// What looks like a control token is text, as everything here.
const asText = { disallowedSpecial: new Set<string>() };
