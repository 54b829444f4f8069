/** Words that may stand before a command without being one. */
const before = new Set([
  'do',
  'then',
  'else',
  'if',
  'while',
  'until',
  '!',
  '{',
  '(',
  'export',
  'exec',
  'time',
]);

/**
 * The simple commands of a shell script, each as the words it is called with: quotes are taken off, variables stay as they
 * are written, and commands within `$(…)` are commands of their own. Enough of a shell for what guides print.
 */
export function readCommands(script: string): string[][] {
  const commands: string[][] = [];
  let at = 0;

  /** Reads up to the end, or to the bracket that ends what began with `$(`. */
  function readList(isNested: boolean): void {
    let words: string[] = [];
    let word: string | null = null;
    const endWord = () => {
      if (word !== null) words.push(word);
      word = null;
    };
    const endCommand = () => {
      endWord();
      while (words.length > 0 && (before.has(words[0]!) || /^\w+=/.test(words[0]!))) words.shift();
      if (words.length > 0) commands.push(words);
      words = [];
    };
    while (at < script.length) {
      const char = script[at]!;
      if (char === '\\') {
        if (script[at + 1] !== '\n') word = (word ?? '') + (script[at + 1] ?? '');
        at += 2;
      } else if (char === "'") {
        const end = script.indexOf("'", at + 1);
        if (end < 0) throw new Error('A quote has no end.');
        word = (word ?? '') + script.slice(at + 1, end);
        at = end + 1;
      } else if (char === '"') {
        word = (word ?? '') + readDoubleQuoted();
      } else if (char === '$' && script[at + 1] === '(') {
        at += 2;
        readList(true);
        word = (word ?? '') + '$(…)';
      } else if (char === '#' && word === null) {
        const end = script.indexOf('\n', at);
        at = end < 0 ? script.length : end;
      } else if (char === ')' && isNested) {
        at++;
        break;
      } else if ('\n;|&)'.includes(char)) {
        endCommand();
        at++;
      } else if (char === ' ' || char === '\t') {
        endWord();
        at++;
      } else {
        word = (word ?? '') + char;
        at++;
      }
    }
    endCommand();
  }

  function readDoubleQuoted(): string {
    let text = '';
    at++;
    while (at < script.length && script[at] !== '"') {
      if (script[at] === '\\') {
        text += script[at + 1] ?? '';
        at += 2;
      } else if (script[at] === '$' && script[at + 1] === '(') {
        at += 2;
        readList(true);
        text += '$(…)';
      } else {
        text += script[at];
        at++;
      }
    }
    at++;
    return text;
  }

  readList(false);
  return commands;
}
