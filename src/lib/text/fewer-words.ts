const joiningWords = new Set(
  'a an and api at by for from in into of on or rest the to under using via with'.split(' '),
);

/**
 * A name of words (`get_users_by_id`, `getUsersById`) with the least telling ones taken out until it has at most
 * `maxLength` characters; its beginning and end stay. Null when that cannot be done.
 */
export function withFewerWords(name: string, maxLength: number): string | null {
  // Each word with what stands before it, so that `_`, `-` and capitals stay as they are.
  let words: string[] = name.match(/[_-]*(?:[vV]\d+|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[_-])/g) ?? [];
  const plain = (word: string): string => word.replace(/^[_-]+/, '').toLowerCase();
  const fits = (): boolean => words.join('').length <= maxLength;
  const drop = (isNeedless: (word: string, i: number) => boolean): void => {
    words = words.filter((word, i) => i === 0 || i === words.length - 1 || !isNeedless(plain(word), i));
  };
  drop((word) => joiningWords.has(word) || /^v\d*$/.test(word));
  if (!fits()) drop((word, i) => isLike(word, plain(words[i - 1]!)));
  while (!fits() && words.length > 2) words.splice(Math.floor(words.length / 2), 1);
  return fits() ? words.join('').replace(/^[_-]+/, '') : null;
}

// `organizations` before `organization`.
function isLike(word: string, before: string): boolean {
  return word.length > 3 && (before.startsWith(word) || word.startsWith(before.replace(/s$/, '')));
}
