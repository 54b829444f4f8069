const shortest = 4;
const letters = 'abcdefghijklmnopqrstuvwxyz';

/** The known terms that differ from an unknown word by one letter: left out, added, another, or two that changed places. */
export function spellings(word: string, known: ReadonlyMap<string, number>): number[] {
  if (word.length < shortest || word.length > 24 || !/^[a-z]+$/.test(word)) return [];
  const found = new Set<number>();
  const look = (candidate: string) => {
    const id = known.get(candidate);
    if (id !== undefined) found.add(id);
  };
  for (let at = 0; at <= word.length; at++) {
    const before = word.slice(0, at);
    const after = word.slice(at);
    if (after !== '') look(before + after.slice(1));
    if (after.length > 1) look(before + after[1]! + after[0]! + after.slice(2));
    for (const letter of letters) {
      if (after !== '') look(before + letter + after.slice(1));
      look(before + letter + after);
    }
  }
  return [...found];
}
