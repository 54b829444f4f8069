import type { Token } from './script-tokens.ts';

/** Whether what follows is a property. */
export const isDot = (token: Token | undefined) => token?.text === '.' || token?.text === '?.';
/** Whether it can be the name of something; every word can be one of a property. */
export const isWordLike = (token: Token | undefined): token is Token =>
  token?.kind === 'name' || token?.kind === 'keyword';

/** `tools.api.tool` that ends before a place; null when something else does. */
export function toolEnding(tokens: readonly Token[], end: number): string | null {
  const [tools, one, api, two, tool] = tokens.slice(Math.max(0, end - 5), end);
  if (tools?.text !== 'tools' || !isDot(one) || !isWordLike(api) || !isDot(two) || !isWordLike(tool))
    return null;
  return isDot(tokens[end - 6]) ? null : `tools.${api.text}.${tool.text}`;
}

/** What each closing bracket closes. */
export const closers = new Map([
  [')', '('],
  [']', '['],
  ['}', '{'],
]);
/** Whether it opens a bracket. */
export const isOpener = (text: string) => text === '(' || text === '[' || text === '{';

/** Where the bracket stands that is open before a place; −1 when there is none. */
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

/** Where the bracket closes that opens at a place; the end when it does not. */
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
