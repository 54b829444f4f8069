/** A token of JSON text, for highlighting. */
export interface Token {
  kind: 'key' | 'string' | 'number' | 'word' | 'mark' | 'space' | 'wrong';
  text: string;
}

const rules: [Token['kind'], RegExp][] = [
  ['space', /\s+/y],
  ['string', /"(?:[^"\\\n]|\\.)*"?/y],
  ['number', /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y],
  ['word', /\b(?:true|false|null)\b/y],
  ['mark', /[{}[\],:]/y],
  ['wrong', /[^\s"{}[\],:]+/y],
];

/** Splits JSON text, valid or not, into tokens that add up to it again. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const token = nextToken(text, at);
    tokens.push(token);
    at += token.text.length;
  }
  markKeys(tokens);
  return tokens;
}

function nextToken(text: string, at: number): Token {
  for (const [kind, rule] of rules) {
    rule.lastIndex = at;
    const found = rule.exec(text);
    if (found && found[0] !== '') return { kind, text: found[0] };
  }
  return { kind: 'wrong', text: text.charAt(at) };
}

function markKeys(tokens: Token[]): void {
  let last: Token | undefined;
  for (const token of tokens) {
    if (token.text === ':' && last?.kind === 'string') last.kind = 'key';
    if (token.kind !== 'space') last = token;
  }
}

/** The bracket that matches the one at an offset, or null. Brackets inside strings don't count. */
export function matchingBracket(tokens: Token[], offset: number): number | null {
  const marks: { text: string; at: number }[] = [];
  let at = 0;
  for (const token of tokens) {
    if (token.kind === 'mark' && /[{}[\]]/.test(token.text)) marks.push({ text: token.text, at });
    at += token.text.length;
  }
  const start = marks.findIndex((mark) => mark.at === offset);
  if (start === -1) return null;
  const step = /[{[]/.test(marks[start]?.text ?? '') ? 1 : -1;
  let depth = 0;
  for (let index = start; index >= 0 && index < marks.length; index += step) {
    depth += /[{[]/.test(marks[index]?.text ?? '') ? 1 : -1;
    if (depth === 0) return marks[index]?.at ?? null;
  }
  return null;
}

/** Parsed JSON, or the line and reason of the first error. */
export type ParsedJson = { ok: true; value: unknown } | { ok: false; line: number; reason: string };

/** Parses JSON as people type it; empty text is the empty object. */
export function parseJson(text: string): ParsedJson {
  if (text.trim() === '') return { ok: true, value: {} };
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      ok: false,
      line: lineOf(text, reason),
      reason: reason.replace(/^JSON\.parse: /, '').replace(/ in JSON at .*| \(line .*/, ''),
    };
  }
}

/** Engines report a position in three ways: an offset, a line, or only the character. */
function lineOf(text: string, reason: string): number {
  const line = /line (\d+)/.exec(reason);
  if (line) return Number(line[1]);
  const position = /position (\d+)/.exec(reason);
  const end = position ? Number(position[1]) : text.length;
  return text.slice(0, end).split('\n').length;
}

/** Pretty-printed JSON. */
export function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? 'null';
}
