// Text that fits a pattern, for the plain patterns that documents use: literals, classes, groups, alternatives, counts.

/** A text that the pattern matches, or undefined when it says something that is not understood here. */
export function textFor(pattern) {
  const source = [...pattern];
  let at = 0;
  let text;
  try {
    text = alternatives();
  } catch {
    return undefined;
  }
  return at === source.length && new RegExp(pattern, 'u').test(text) ? text : undefined;

  function alternatives() {
    const first = sequence();
    while (source[at] === '|') {
      at++;
      sequence();
    }
    return first;
  }

  function sequence() {
    let out = '';
    while (at < source.length && source[at] !== '|' && source[at] !== ')') {
      const piece = atom();
      out += piece.repeat(times());
    }
    return out;
  }

  function atom() {
    const char = source[at++];
    if (char === '^' || char === '$') return '';
    if (char === '.') return 'x';
    if (char === '\\') return escaped(source[at++]);
    if (char === '[') return oneOfClass();
    if (char !== '(') return char;
    if (source[at] === '?') {
      if (source[at + 1] !== ':') throw new Error('look-around');
      at += 2;
    }
    const inner = alternatives();
    at++;
    return inner;
  }

  function escaped(char) {
    if (char === 'd') return '7';
    if (char === 'w') return 'a';
    if (char === 's') return ' ';
    if (char === 'b' || char === 'B') return '';
    if (/[A-Za-z0-9]/.test(char)) throw new Error('not understood');
    return char;
  }

  function oneOfClass() {
    const negated = source[at] === '^';
    const start = at;
    while (source[at] !== ']' || at === start + (negated ? 1 : 0)) at += source[at] === '\\' ? 2 : 1;
    const own = new RegExp(`[${source.slice(start, at).join('')}]`, 'u');
    at++;
    const found = [...'a7A_-./: @xZ0,#'].find((char) => own.test(char));
    if (found === undefined) throw new Error('no such character here');
    return found;
  }

  function times() {
    const char = source[at];
    if (char === '*' || char === '?' || char === '+') {
      at++;
      if (source[at] === '?') at++;
      return 1;
    }
    if (char !== '{') return 1;
    const end = source.indexOf('}', at);
    const [least] = source
      .slice(at + 1, end)
      .join('')
      .split(',');
    at = end + 1;
    return Math.max(Number(least), 1);
  }
}
