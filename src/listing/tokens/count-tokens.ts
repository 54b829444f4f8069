import { countTokens as count } from 'gpt-tokenizer/encoding/o200k_base';

// A word of any length is one piece to the tokenizer, which takes quadratic time for it: longer ones are cut.
const maxRunLength = 200;

/** The tokens of a text for models of the o200k family. Slow to load: for use in a separate thread. */
export function countTokens(text: string): number {
  let tokens = 0;
  let from = 0;
  let run = 0;
  let last = -1;
  for (let at = 0; at < text.length; at++) {
    const kind = kindOf(text.charCodeAt(at));
    run = kind === last ? run + 1 : 1;
    last = kind;
    if (run <= maxRunLength) continue;
    tokens += count(text.slice(from, at), asText);
    from = at;
    run = 1;
  }
  return tokens + count(text.slice(from), asText);
}

// Text that looks like a control token is still text here.
const asText = { disallowedSpecial: new Set<string>() };

/** What the tokenizer keeps in one piece: letters, digits, spaces, or other symbols. */
function kindOf(code: number): number {
  if (code === 32 || (code >= 9 && code <= 13)) return 0;
  if (code >= 48 && code <= 57) return 1;
  if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code >= 128) return 2;
  return 3;
}
