/** One command of a shell script: its words, and whether its input is redirected. */
export interface ShellCommand {
  readonly words: readonly string[];
  readonly line: number;
  /** Followed by `< file` or the like. */
  readonly redirected: boolean;
  /** Values that only the shell would know: `$TOKEN`, `$(date)`. */
  readonly unfilled: readonly string[];
}

/**
 * Splits shell text into commands and words, with bash's quoting. Only variables that the text itself sets are expanded;
 * nothing is run.
 */
export function shellCommands(text: string): ShellCommand[] {
  const windows = isWindows(text);
  const source = windows ? fromWindows(text) : text;
  const variables = new Map<string, string>();
  let unfilled: string[] = [];
  // In cmd.exe, `$` is an ordinary character.
  const expand = (from: number): [string, number] | null => {
    const found = windows ? null : expansionAt(source, from);
    if (!found) return null;
    const [whole, name] = found;
    const value = name === null ? undefined : variables.get(name);
    if (value === undefined) unfilled.push(whole);
    return [value ?? whole, from + whole.length - 1];
  };
  const commands: ShellCommand[] = [];
  let words: string[] = [];
  let word = '';
  let started = false;
  let redirected = false;
  let skipNext = false;
  let line = 1;
  let commandLine = 1;
  const endWord = (): void => {
    if (!started) return;
    if (skipNext) skipNext = false;
    else {
      if (words.length === 0) commandLine = line;
      words.push(word);
    }
    word = '';
    started = false;
  };
  const endCommand = (): void => {
    endWord();
    const set = words[0] === 'export' ? words.slice(1) : words;
    if (set.length > 0 && set.every((assignment) => /^[A-Za-z_]\w*=/.test(assignment)))
      for (const assignment of set) {
        const equals = assignment.indexOf('=');
        variables.set(assignment.slice(0, equals), assignment.slice(equals + 1));
      }
    else if (words.length > 0) commands.push({ words, line: commandLine, redirected, unfilled });
    words = [];
    unfilled = [];
    redirected = false;
    skipNext = false;
  };
  for (let i = 0; i < source.length; i++) {
    const char = source[i]!;
    const next = source[i + 1];
    const expansion = (char === '$' && next !== "'") || char === '`' ? expand(i) : null;
    if (char === '\n') {
      endCommand();
      line++;
    } else if (char === '\\') {
      if (next === '\n') line++;
      else if (next === '\r' && source[i + 2] === '\n') {
        line++;
        i++;
      } else if (next !== undefined) {
        word += next;
        started = true;
      }
      i++;
    } else if (char === "'") {
      const end = source.indexOf("'", i + 1);
      const quoted = source.slice(i + 1, end < 0 ? undefined : end);
      line += quoted.split('\n').length - 1;
      word += quoted;
      started = true;
      i = end < 0 ? source.length : end;
    } else if (char === '"') {
      const [quoted, end] = doubleQuoted(source, i + 1, expand);
      line += source.slice(i, end).split('\n').length - 1;
      word += quoted;
      started = true;
      i = end;
    } else if (char === '$' && next === "'") {
      const [quoted, end] = ansiQuoted(source, i + 2);
      word += quoted;
      started = true;
      i = end;
    } else if (expansion !== null) {
      word += expansion[0];
      started = true;
      i = expansion[1];
    } else if (char === '#' && !started) {
      const end = source.indexOf('\n', i);
      i = (end < 0 ? source.length : end) - 1;
    } else if (
      char === ';' ||
      char === '|' ||
      (char === '&' && (next === '&' || next === undefined || /\s/.test(next)))
    ) {
      endCommand();
      if (next === char) i++;
    } else if ((char === '<' || char === '>') && !started) {
      redirected ||= char === '<';
      while (source[i + 1] === char || source[i + 1] === '<') i++;
      skipNext = true;
    } else if (/\s/.test(char)) {
      endWord();
    } else {
      word += char;
      started = true;
    }
  }
  endCommand();
  return commands;
}

// `$NAME`, `${NAME}`, `$(command)` or a command in backticks; with the name if it is a variable.
function expansionAt(source: string, from: number): [string, string | null] | null {
  const variable = /^\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/.exec(source.slice(from, from + 200));
  if (variable) return [variable[0], variable[1] ?? variable[2]!];
  const opens = source.startsWith('$(', from) || source.startsWith('${', from);
  if (!opens && source[from] !== '`') return null;
  const close = source[from] === '`' ? '`' : source[from + 1] === '(' ? ')' : '}';
  let depth = 0;
  for (let i = from + (opens ? 2 : 1); i < source.length; i++) {
    if (opens && source[i] === source[from + 1]) depth++;
    else if (source[i] === close && depth-- === 0) return [source.slice(from, i + 1), null];
  }
  return null;
}

function doubleQuoted(
  source: string,
  from: number,
  expand: (from: number) => [string, number] | null,
): [string, number] {
  let out = '';
  for (let i = from; i < source.length; i++) {
    const char = source[i]!;
    if (char === '"') return [out, i];
    const expansion = char === '$' || char === '`' ? expand(i) : null;
    if (expansion) {
      out += expansion[0];
      i = expansion[1];
      continue;
    }
    if (char === '\\' && i + 1 < source.length) {
      const next = source[++i]!;
      if (next === '\n') continue;
      out += '$`"\\'.includes(next) ? next : `\\${next}`;
    } else out += char;
  }
  return [out, source.length];
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
  e: '\x1b',
  E: '\x1b',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '?': '?',
};

// $'…' as bash reads it; browsers write commands that way.
function ansiQuoted(source: string, from: number): [string, number] {
  let out = '';
  for (let i = from; i < source.length; i++) {
    const char = source[i]!;
    if (char === "'") return [out, i];
    if (char !== '\\') {
      out += char;
      continue;
    }
    const next = source[++i] ?? '';
    const code = /^(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3}))/.exec(
      source.slice(i, i + 9),
    );
    if (code) {
      const digits = code[1] ?? code[2] ?? code[3];
      const point = digits === undefined ? Number.parseInt(code[4]!, 8) : Number.parseInt(digits, 16);
      out += point <= 0x10ffff ? String.fromCodePoint(point) : '';
      i += code[0].length - 1;
    } else out += escapes[next] ?? `\\${next}`;
  }
  return [out, source.length];
}

// "Copy as cURL (cmd)": ^ continues a line and escapes the next character.
function isWindows(text: string): boolean {
  return /^[ \t]*curl(?:\.exe)?\s/m.test(text) && (/\^\r?\n/.test(text) || /\s\^"/.test(text));
}

// An intended line break follows an escaped one; an empty argument is not a doubled quote.
function fromWindows(text: string): string {
  return text
    .replace(/\^\r?\n(\r?\n)|\^\r?\n\s*|\^(.)/g, (_whole, lineBreak?: string, escaped?: string) =>
      lineBreak === undefined ? (escaped ?? ' ') : '\n',
    )
    .replace(/(?<!\S)""(?!\S)|("")/g, (pair, doubled?: string) => (doubled === undefined ? pair : '\\"'));
}
