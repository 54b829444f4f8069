import type { Token } from './script-tokens.ts';

/** Whether a property follows. */
export const isDot = (token: Token | undefined) => token?.text === '.' || token?.text === '?.';
/** Whether it can be a name; after a dot, keywords can too. */
export const isWordLike = (token: Token | undefined): token is Token =>
  token?.kind === 'name' || token?.kind === 'keyword';

/** The `tools.api.tool` that ends before an offset; null if something else does. */
export function toolEnding(tokens: readonly Token[], end: number): string | null {
  const [tools, one, api, two, tool] = tokens.slice(Math.max(0, end - 5), end);
  if (tools?.text !== 'tools' || !isDot(one) || !isWordLike(api) || !isDot(two) || !isWordLike(tool))
    return null;
  return isDot(tokens[end - 6]) ? null : `tools.${api.text}.${tool.text}`;
}

/** The opening bracket of each closing one. */
export const closers = new Map([
  [')', '('],
  [']', '['],
  ['}', '{'],
]);
/** Whether it opens a bracket. */
export const isOpener = (text: string) => text === '(' || text === '[' || text === '{';

/** The index of the innermost bracket open before an offset; −1 if there is none. */
export function openBefore(tokens: readonly Token[], end: number): number {
  let depth = 0;
  for (let at = end - 1; at >= 0; at--) {
    const { kind, text } = tokens[at]!;
    if (kind !== 'mark') continue;
    if (closers.has(text)) depth++;
    else if (isOpener(text) && depth-- === 0) return at;
  }
  return -1;
}

/** The index of the bracket that closes the one at an offset; the end if it isn't closed. */
export function closeAfter(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at++) {
    const { kind, text } = tokens[at]!;
    if (kind !== 'mark') continue;
    if (isOpener(text)) depth++;
    else if (closers.has(text) && --depth === 0) return at;
  }
  return tokens.length;
}

/** The name of a property, quoted or not. */
export function nameOf(token: Token | undefined): string {
  if (token === undefined) return '';
  return token.kind === 'text' ? token.text.slice(1, -1) : token.text;
}
