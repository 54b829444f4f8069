import { fieldOf, itemOf, type Shape } from './schema-fields.ts';
import type { Token } from './script-tokens.ts';
import { closeAfter, isDot, isWordLike, openBefore, toolEnding } from './token-walk.ts';

/** The tools a script can call. */
export interface ScriptTools {
  /** `tools.api.tool` of each. */
  readonly paths: readonly string[];
  /** The shapes of one tool; undefined if it doesn't exist. */
  describe(path: string): Promise<ToolShapes | undefined>;
}

export interface ToolShapes {
  readonly declaration: string;
  readonly input: Shape;
  readonly reply: Shape | undefined;
}

const passesItems = /^(?:map|filter|find|findLast|flatMap|forEach|some|every|sort|toSorted|findIndex)$/;
const givesSame = /^(?:filter|slice|sort|toSorted|toReversed|reverse|concat)$/;
const givesItem = /^(?:find|findLast|at|pop|shift)$/;
const maxDepth = 12;

/** The shape of the value that ends before an offset; undefined if unknown. */
export async function shapeBefore(
  tokens: readonly Token[],
  end: number,
  tools: ScriptTools,
  depth: number,
): Promise<Shape | undefined> {
  const last = tokens[end - 1];
  if (last === undefined || depth > maxDepth) return undefined;
  if (last.text === ')') {
    const open = openBefore(tokens, end - 1);
    const path = toolEnding(tokens, open);
    if (path !== null) return (await tools.describe(path))?.reply;
    const method = tokens[open - 1];
    if (isDot(tokens[open - 2]) && isWordLike(method)) {
      const of = await shapeBefore(tokens, open - 2, tools, depth + 1);
      if (of === undefined) return undefined;
      return givesSame.test(method.text) ? of : givesItem.test(method.text) ? itemOf(of) : undefined;
    }
    // A parenthesized expression.
    return method === undefined || method.kind === 'mark' || method.kind === 'keyword'
      ? shapeBefore(tokens, end - 1, tools, depth + 1)
      : undefined;
  }
  if (last.text === ']') {
    const open = openBefore(tokens, end - 1);
    const of = await shapeBefore(tokens, open, tools, depth + 1);
    return of && itemOf(of);
  }
  if (!isWordLike(last)) return undefined;
  if (isDot(tokens[end - 2])) {
    const of = await shapeBefore(tokens, end - 2, tools, depth + 1);
    return of && fieldOf(of, last.text);
  }
  return variableShape(tokens, end - 1, tools, depth);
}

/** The shape of the variable at an offset, from its last declaration before that. */
async function variableShape(
  tokens: readonly Token[],
  at: number,
  tools: ScriptTools,
  depth: number,
): Promise<Shape | undefined> {
  const name = tokens[at]!.text;
  for (let n = at - 1; n >= 0; n--) {
    if (tokens[n]!.text !== name || tokens[n]!.kind !== 'name') continue;
    const before = tokens[n - 1]?.text;
    if (/^(?:const|let|var)$/.test(before ?? '')) return declaredShape(tokens, n, tools, depth);
    const opener = before === '(' ? n - 2 : n - 1;
    const isParameter = /^(?:=>|,|\)|:)$/.test(tokens[n + 1]?.text ?? '') && /^[(,]$/.test(before ?? '');
    if (!isParameter) continue;
    // `list.map((name) => …` and `list.map(name => …`
    const call = before === '(' && tokens[opener]?.text === '(' ? opener : n - 1;
    const shape = await passedShape(tokens, call, tools, depth);
    if (shape !== undefined) return shape;
  }
  return undefined;
}

/** The shape passed to the callback that is the first argument inside the brackets at an offset. */
async function passedShape(
  tokens: readonly Token[],
  open: number,
  tools: ScriptTools,
  depth: number,
): Promise<Shape | undefined> {
  const method = tokens[open - 1];
  if (tokens[open]?.text !== '(' || method === undefined || !passesItems.test(method.text)) return undefined;
  if (!isDot(tokens[open - 2])) return undefined;
  const list = await shapeBefore(tokens, open - 2, tools, depth + 1);
  return list && itemOf(list);
}

/** `const name = …` and `for (const name of …`, with or without a type. */
async function declaredShape(
  tokens: readonly Token[],
  at: number,
  tools: ScriptTools,
  depth: number,
): Promise<Shape | undefined> {
  if (tokens[at + 1]?.text === 'of') {
    const list = await shapeBefore(tokens, endOfValue(tokens, at + 2), tools, depth + 1);
    return list && itemOf(list);
  }
  const equals = tokens.findIndex(({ kind, text }, n) => n > at && kind === 'mark' && text === '=');
  if (equals === -1 || (equals !== at + 1 && tokens[at + 1]?.text !== ':')) return undefined;
  return shapeBefore(tokens, endOfValue(tokens, equals + 1), tools, depth + 1);
}

/** The end of the value at an offset: a chain of names, calls and indexes. */
function endOfValue(tokens: readonly Token[], start: number): number {
  let at = start;
  while (tokens[at]?.text === 'await') at++;
  let mayName = true;
  for (; at < tokens.length; at++) {
    const token = tokens[at]!;
    if (isDot(token)) mayName = true;
    else if (isWordLike(token) && mayName) mayName = false;
    else if (token.text === '(' || token.text === '[') {
      at = closeAfter(tokens, at);
      mayName = false;
    } else break;
  }
  return at;
}

/**
 * The shape destructured by the pattern that is open before an offset: `const { … } = …` or `list.map(({ … }) => …`.
 */
export async function patternShape(
  tokens: readonly Token[],
  end: number,
  tools: ScriptTools,
): Promise<Shape | undefined> {
  const open = openBefore(tokens, end);
  if (tokens[open]?.text !== '{' || !/^[{,]$/.test(tokens[end - 1]?.text ?? '')) return undefined;
  const close = closeAfter(tokens, open);
  if (/^(?:const|let|var)$/.test(tokens[open - 1]?.text ?? '')) {
    if (tokens[close + 1]?.text === '=') return shapeBefore(tokens, endOfValue(tokens, close + 2), tools, 0);
    if (tokens[close + 1]?.text !== 'of') return undefined;
    const list = await shapeBefore(tokens, endOfValue(tokens, close + 2), tools, 0);
    return list && itemOf(list);
  }
  const isParameter = tokens[open - 1]?.text === '(' && tokens[open - 2]?.text === '(';
  return isParameter ? passedShape(tokens, open - 2, tools, 0) : undefined;
}
