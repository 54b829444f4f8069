/** A token of a script. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly from: number;
}

export type TokenKind = 'keyword' | 'name' | 'text' | 'number' | 'remark' | 'mark' | 'space';

const keywords = new Set(
  (
    'as async await break case catch class const continue default delete do else extends false finally for from function get if in ' +
    'instanceof interface keyof let new null of readonly return satisfies static switch this throw true try type typeof ' +
    'undefined var void while yield'
  ).split(' '),
);

// Sticky patterns: each is tried at one offset only and never looks past its own match.
const patterns = {
  space: /\s+/y,
  remark: /\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?/y,
  word: /[\p{L}_$][\p{L}\p{N}_$]*/uy,
  number: /\d[\w.]*/y,
  single: /'(?:[^'\\\n]|\\[^])*'?/y,
  double: /"(?:[^"\\\n]|\\[^])*"?/y,
  template: /(?:[^`\\$]|\\[^]|\$(?!\{))*(?:`|\$\{)?/y,
  expression: /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y,
  mark: /=>|\?\.|\.\.\.|[^]/y,
};

/** Splits a script into tokens that add up to it again. Never fails, whatever the text. */
export function tokensOf(script: string): Token[] {
  const tokens: Token[] = [];
  /** The number of open braces inside each open template expression. */
  const templates: number[] = [];
  let before: Token | undefined;
  let at = 0;

  const take = (kind: TokenKind, pattern: RegExp, start = at): boolean => {
    pattern.lastIndex = start;
    if (!pattern.test(script) || pattern.lastIndex === at) return false;
    const token = { kind, text: script.slice(at, pattern.lastIndex), from: at };
    tokens.push(token);
    if (kind !== 'space' && kind !== 'remark') before = token;
    at = pattern.lastIndex;
    return true;
  };
  const takeTemplate = () => {
    take('text', patterns.template, at + 1);
    if (before?.text.endsWith('${')) templates.push(0);
  };

  while (at < script.length) {
    const next = script[at]!;
    if (take('space', patterns.space) || take('remark', patterns.remark)) continue;
    if (next === '`') takeTemplate();
    else if (next === '}' && templates.at(-1) === 0) {
      templates.pop();
      takeTemplate();
    } else if (next === "'") take('text', patterns.single);
    else if (next === '"') take('text', patterns.double);
    else if (take('number', patterns.number)) continue;
    else if (take('name', patterns.word)) {
      const word = tokens.at(-1)!;
      if (keywords.has(word.text)) tokens[tokens.length - 1] = before = { ...word, kind: 'keyword' };
    } else if (next === '/' && mayBeginExpression(before) && take('text', patterns.expression)) continue;
    else {
      take('mark', patterns.mark);
      const open = templates.length - 1;
      if (open >= 0 && next === '{') templates[open]! += 1;
      if (open >= 0 && next === '}') templates[open]! -= 1;
    }
  }
  return tokens;
}

// After a value, a slash is a division.
function mayBeginExpression(before: Token | undefined): boolean {
  if (before === undefined) return true;
  return before.kind === 'keyword' || (before.kind === 'mark' && !/^[)\]}]$/.test(before.text));
}
