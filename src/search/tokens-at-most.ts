/**
 * An estimate of tokens that a text almost never exceeds, computed without a tokenizer: for budgets applied
 * while an index is built. Words count by length, symbols one each, and characters of other scripts more than
 * one each.
 */
export function tokensAtMost(text: string): number {
  let tokens = 0;
  let run = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
    if (isLetter) {
      // Each camelCase hump starts a new word.
      if (run === 0 || (code <= 90 && text.charCodeAt(at - 1) >= 97)) tokens += 1;
      else if (run % 5 === 0) tokens += 1;
      run++;
      continue;
    }
    run = 0;
    if (code === 32) continue;
    if (code >= 48 && code <= 57) tokens += 0.5;
    else if (code < 128) tokens += 0.8;
    else tokens += 1.5;
  }
  return Math.ceil(tokens);
}
