const vowel = /[aeiouy]/;

/** Takes the usual endings off an English word, so that `movies` and `movie`, `created` and `create` meet. Light on purpose. */
export function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  return withoutLastVowel(withoutVerbEnding(withoutPlural(word)));
}

function withoutPlural(word: string): string {
  if (!word.endsWith('s') || /(?:ss|us|is)$/.test(word)) return word;
  return /(?:sses|xes|ches|shes|zes)$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}

function withoutVerbEnding(word: string): string {
  const ending = word.endsWith('ing') ? 3 : word.endsWith('ed') ? 2 : 0;
  if (ending === 0 || word.length - ending < 3) return word;
  const root = word.slice(0, -ending);
  if (!vowel.test(root) || root.endsWith('e')) return word;
  return /([bdgmnprt])\1$/.test(root) ? root.slice(0, -1) : root;
}

// `city` and `cities`, `copy` and `copied`, `create` and `creating` differ in what stands at their end.
function withoutLastVowel(word: string): string {
  if (word.length < 4) return word;
  if (word.endsWith('e')) return word.slice(0, -1);
  return /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}i` : word;
}
