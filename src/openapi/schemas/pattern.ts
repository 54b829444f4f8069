// Schema patterns are ECMAScript with the `u` flag (JSON Schema 2020-12, core 6.4), which knows no needless escapes
// such as `\-` or `\@`. Many documents have them; without the backslash they mean the same.

const syntaxCharacters = new Set('^$\\.*+?()[]{}|/');
const letterEscapes = new Set('dDwWsSbBtrnvfcxupPk0123456789');

/** The pattern in a form that every validator compiles, or null when there is none. */
export function portablePattern(given: string): string | null {
  // A literal in slashes, `/^a$/`, is a frequent slip: as it stands nothing could match it. `i` would change the meaning.
  const [, literal, flags] = /^\/(\^.*\$)\/([a-z]*)$/s.exec(given) ?? [];
  if (flags?.includes('i')) return null;
  const pattern = literal ?? given;
  if (compiles(pattern)) return pattern;
  const plain = withoutNeedlessEscapes(pattern);
  if (plain !== null && compiles(plain)) return plain;
  const bare = /^\/(.+)\/$/s.exec(pattern)?.[1];
  return bare !== undefined && compiles(bare) ? bare : null;
}

// The ends of a text in the regular expressions of other languages.
const anchors: Readonly<Record<string, string>> = { A: '^', Z: '$', z: '$' };

function withoutNeedlessEscapes(pattern: string): string | null {
  let out = '';
  let inClass = false;
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i]!;
    if (char === '\\' && i + 1 < pattern.length) {
      const next = pattern[++i]!;
      if (!inClass && Object.hasOwn(anchors, next)) {
        out += anchors[next]!;
        continue;
      }
      // Another letter means something elsewhere that this language cannot say.
      if (/[A-Za-z]/.test(next) && !letterEscapes.has(next)) return null;
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
