// Schema patterns are ECMAScript with the `u` flag (JSON Schema 2020-12, core 6.4), which forbids needless escapes such
// as `\-` or `\@`. Many documents have them; without the backslash they mean the same.

const syntaxCharacters = new Set('^$\\.*+?()[]{}|/');
const letterEscapes = new Set('dDwWsSbBtrnvfcxupPk0123456789');

/** The pattern in a form that every validator compiles; null if there is none. */
export function portablePattern(given: string): string | null {
  // A literal in slashes, `/^a$/`, is a common mistake: taken literally, nothing could match it. `i` would change the meaning.
  const [, literal, flags] = /^\/(\^.*\$)\/([a-z]*)$/s.exec(given) ?? [];
  if (flags?.includes('i')) return null;
  const pattern = literal ?? given;
  if (compiles(pattern)) return pattern;
  const plain = withoutNeedlessEscapes(pattern);
  if (plain !== null && compiles(plain)) return plain;
  const bare = /^\/(.+)\/$/s.exec(pattern)?.[1];
  return bare !== undefined && compiles(bare) ? bare : null;
}

// Anchors for the start and end of a text in other regular expression dialects.
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
      // Other letter escapes have a meaning in other dialects that ECMAScript cannot express.
      if (/[A-Za-z]/.test(next) && !letterEscapes.has(next)) return null;
      const needed = syntaxCharacters.has(next) || letterEscapes.has(next) || (inClass && next === '-');
      out += needed ? `\\${next}` : next;
      continue;
    }
    if (char === '[' && !inClass) inClass = true;
    else if (char === ']') inClass = false;
    else if (char === '-' && inClass && /\\[wdsWDS]$/.test(out)) {
      // `[\w-.]`: next to a class, the dash cannot start a range.
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
