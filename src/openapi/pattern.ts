// Schema patterns are ECMAScript with the `u` flag (JSON Schema 2020-12, core 6.4), which knows no needless escapes
// such as `\-` or `\@`. Many documents have them; without the backslash they mean the same.

const syntaxCharacters = new Set('^$\\.*+?()[]{}|/');
const letterEscapes = new Set('dDwWsSbBtrnvfcxupPk0123456789');

/** The pattern in a form that every validator compiles, or null when there is none. */
export function portablePattern(pattern: string): string | null {
  if (compiles(pattern)) return pattern;
  const plain = withoutNeedlessEscapes(pattern);
  if (compiles(plain)) return plain;
  // A literal in slashes, `/^a$/`, is a frequent slip. Flags would change the meaning, so only a bare literal counts.
  const literal = /^\/(.+)\/$/.exec(pattern)?.[1];
  return literal !== undefined && compiles(literal) ? literal : null;
}

function withoutNeedlessEscapes(pattern: string): string {
  let out = '';
  let inClass = false;
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i]!;
    if (char === '\\' && i + 1 < pattern.length) {
      const next = pattern[++i]!;
      const needed = syntaxCharacters.has(next) || letterEscapes.has(next) || (inClass && next === '-');
      out += needed ? `\\${next}` : next;
      continue;
    }
    if (char === '[' && !inClass) inClass = true;
    else if (char === ']') inClass = false;
    else if (char === '-' && inClass && /\\[wdsWDS]$/.test(out)) {
      // `[\w-.]`: beside a class the dash cannot begin a range.
      out += '\\-';
      continue;
    }
    out += char;
  }
  return out;
}

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}
