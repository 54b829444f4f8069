/** The first sentence of a description on one line, cut at a word when it is longer than `max` characters. */
export function firstSentence(description: string, max: number): string {
  // What is far behind the cut need not be looked at.
  const text = description
    .slice(0, max * 4)
    .replace(/\s+/gu, ' ')
    .trim();
  const end = /(?<![ (][A-Za-z]|e\.g|i\.e|etc|vs)[.!?](?= \S)|[。！？]/u.exec(text);
  const sentence = end ? text.slice(0, end.index + 1) : text;
  if (sentence.length <= max) return sentence;
  const cut = sentence.slice(0, max - 1);
  const space = cut.lastIndexOf(' ');
  const kept = space > max / 2 ? cut.slice(0, space) : cut;
  // A cut between the halves of a surrogate pair would leave broken text.
  return `${kept.replace(/[\uD800-\uDBFF]$/, '')}…`;
}
