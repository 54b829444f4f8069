import { fieldOf, fieldsOf, itemOf, type Shape, valuesOf } from './schema-fields.ts';
import { type Token, tokensOf } from './script-tokens.ts';
import { closers, isDot, isOpener, isWordLike, nameOf, openBefore, toolEnding } from './token-walk.ts';
import { patternShape, type ScriptTools, shapeBefore } from './value-shapes.ts';

/** One suggestion. */
export interface Suggestion {
  readonly label: string;
  /** Its type, in a word or two. */
  readonly detail: string;
  readonly about: string;
  /** The text to insert. */
  readonly insert: string;
  /** How far to move the caret back from the end of the inserted text. */
  readonly caretBack: number;
}

/** Suggestions for the text between two offsets. */
export interface Suggestions {
  readonly from: number;
  readonly to: number;
  readonly items: readonly Suggestion[];
}

const maxItems = 200;

const globals: readonly Suggestion[] = [
  ['tools', 'tools.api.tool({ … })', 'tools.', 0],
  ['search', '(query, { api, kind, limit })', "search('')", 2],
  ['describe', '(path)', "describe('')", 2],
  ['read', '(handle, { select, offset, limit, search })', 'read()', 1],
  ['print', '(value)', 'print()', 1],
  ['show', '(value)', 'show()', 1],
  ['sleep', '(ms)', 'sleep()', 1],
].map(([label, detail, insert, caretBack]) => ({
  label: String(label),
  detail: String(detail),
  about: '',
  insert: String(insert),
  caretBack: Number(caretBack),
}));

/** What could be inserted at an offset of a script; null if there is nothing to suggest. */
export async function suggestionsAt(
  script: string,
  caret: number,
  tools: ScriptTools,
): Promise<Suggestions | null> {
  const all = tokensOf(script);
  if (all.some(({ kind, from, text }) => kind === 'remark' && from < caret && caret <= from + text.length))
    return null;
  const tokens = readable(all);
  const within = tokens.findIndex(({ from, text }) => from < caret && caret <= from + text.length);
  const current = tokens[within];
  if (current?.kind === 'number') return null;
  if (current?.kind === 'text') {
    // Values are suggested only inside a closed string that isn't part of a template.
    if (!/^(['"])[^]*\1$/.test(current.text) || caret === current.from + current.text.length) return null;
    return within === -1 ? null : valuesAt(tokens, within, tools);
  }
  const isWord = current !== undefined && (current.kind === 'name' || current.kind === 'keyword');
  const from = isWord ? current.from : caret;
  const to = isWord ? current.from + current.text.length : caret;
  const typed = script.slice(from, caret);
  const end = isWord ? within : tokens.findLastIndex((token) => token.from + token.text.length <= caret) + 1;
  const items = await itemsBefore(tokens, end, typed, tools);
  const found = items.filter(
    ({ label }) => label !== typed && label.toLowerCase().includes(typed.toLowerCase()),
  );
  const first = (label: string) => (label.toLowerCase().startsWith(typed.toLowerCase()) ? 0 : 1);
  found.sort((one, other) => first(one.label) - first(other.label));
  return found.length === 0 ? null : { from, to, items: found.slice(0, maxItems) };
}

/** The path of the tool whose call contains an offset; null outside of calls. */
export function toolAround(script: string, caret: number): string | null {
  const tokens = readable(tokensOf(script)).filter(({ from }) => from < caret);
  for (let open = openBefore(tokens, tokens.length); open >= 0; open = openBefore(tokens, open)) {
    const path = tokens[open]!.text === '(' ? toolEnding(tokens, open) : null;
    if (path !== null) return path;
  }
  const last = tokens.length;
  return toolEnding(tokens, last);
}

function readable(tokens: readonly Token[]): Token[] {
  return tokens.filter(({ kind }) => kind !== 'space' && kind !== 'remark');
}

async function itemsBefore(
  tokens: readonly Token[],
  end: number,
  typed: string,
  tools: ScriptTools,
): Promise<readonly Suggestion[]> {
  if (isDot(tokens[end - 1])) {
    if (tokens[end - 2]?.text === 'tools' && !isDot(tokens[end - 3])) return apiItems(tools);
    if (
      tokens[end - 4]?.text === 'tools' &&
      isDot(tokens[end - 3]) &&
      !isDot(tokens[end - 5]) &&
      isWordLike(tokens[end - 2])
    )
      return toolItems(
        tools,
        tokens[end - 2]!.text,
        tokens[end]?.text === '(' || tokens[end + 1]?.text === '(',
      );
    const shape = await shapeBefore(tokens, end - 1, tools, 0);
    return shape === undefined ? [] : [...fieldsOf(shape)].map(fieldItem);
  }
  const key = await argumentShape(tokens, end, tools);
  if (key !== undefined) {
    const taken = new Set(keysIn(tokens, key.open));
    return fieldsOf(key.shape)
      .filter(({ name }) => name === typed || !taken.has(name))
      .map(argumentItem);
  }
  const pattern = await patternShape(tokens, end, tools);
  if (pattern !== undefined)
    return fieldsOf(pattern)
      .filter(({ name }) => isIdentifier(name))
      .map(fieldItem);
  return typed === '' ? [] : globals;
}

const isIdentifier = (name: string) => /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name);

function fieldItem({ name, type, about }: ReturnType<typeof fieldsOf>[number]): Suggestion {
  return { label: name, detail: type, about, insert: name, caretBack: 0 };
}

function argumentItem({ name, type, about, isRequired }: ReturnType<typeof fieldsOf>[number]): Suggestion {
  const key = isIdentifier(name) ? name : JSON.stringify(name);
  const isText = type === 'string';
  return {
    label: name,
    detail: isRequired ? type : `${type}?`,
    about,
    insert: isText ? `${key}: ''` : `${key}: `,
    caretBack: isText ? 1 : 0,
  };
}

function apiItems({ paths }: ScriptTools): Suggestion[] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const api = path.split('.', 2)[1]!;
    counts.set(api, (counts.get(api) ?? 0) + 1);
  }
  return [...counts].map(([label, count]) => ({
    label,
    detail: String(count),
    about: '',
    insert: `${label}.`,
    caretBack: 0,
  }));
}

function toolItems({ paths }: ScriptTools, api: string, isCalled: boolean): Suggestion[] {
  const prefix = `tools.${api}.`;
  return paths
    .filter((path) => path.startsWith(prefix))
    .map((path) => {
      const label = path.slice(prefix.length);
      return isCalled
        ? { label, detail: '', about: '', insert: label, caretBack: 0 }
        : { label, detail: '', about: '', insert: `${label}({  })`, caretBack: 3 };
    });
}

/** The shape of the arguments object that is open before an offset, if a property name could follow there. */
async function argumentShape(
  tokens: readonly Token[],
  end: number,
  tools: ScriptTools,
): Promise<{ readonly shape: Shape; readonly open: number } | undefined> {
  const open = openBefore(tokens, end);
  if (tokens[open]?.text !== '{' || !/^[{,]$/.test(tokens[end - 1]?.text ?? '')) return undefined;
  const shape = await objectShape(tokens, open, tools);
  return shape && { shape, open };
}

/** What an object literal at an offset stands for: all arguments of a call, or one of them. */
async function objectShape(
  tokens: readonly Token[],
  open: number,
  tools: ScriptTools,
): Promise<Shape | undefined> {
  const before = tokens[open - 1];
  if (before?.text === '(') {
    const path = toolEnding(tokens, open - 1);
    return path === null ? undefined : (await tools.describe(path))?.input;
  }
  if (before?.text === ':') {
    const outer = openBefore(tokens, open - 2);
    const shape = tokens[outer]?.text === '{' ? await objectShape(tokens, outer, tools) : undefined;
    return shape && fieldOf(shape, nameOf(tokens[open - 2]));
  }
  if (before?.text === '[' || before?.text === ',') {
    const list = openBefore(tokens, open);
    if (tokens[list]?.text !== '[' || tokens[list - 1]?.text !== ':') return undefined;
    const outer = openBefore(tokens, list - 2);
    const shape = tokens[outer]?.text === '{' ? await objectShape(tokens, outer, tools) : undefined;
    const field = shape && fieldOf(shape, nameOf(tokens[list - 2]));
    return field && itemOf(field);
  }
  return undefined;
}

/** The properties an object already has. */
function keysIn(tokens: readonly Token[], open: number): string[] {
  const keys: string[] = [];
  let depth = 0;
  for (let at = open + 1; at < tokens.length && depth >= 0; at++) {
    const { kind, text } = tokens[at]!;
    if (kind === 'mark' && isOpener(text)) depth++;
    else if (kind === 'mark' && closers.has(text)) depth--;
    else if (depth === 0 && /^[{,]$/.test(tokens[at - 1]!.text)) keys.push(nameOf(tokens[at]));
  }
  return keys;
}

/** The values the string at an offset can have. */
async function valuesAt(
  tokens: readonly Token[],
  at: number,
  tools: ScriptTools,
): Promise<Suggestions | null> {
  const { from, text } = tokens[at]!;
  const open = openBefore(tokens, at);
  if (tokens[at - 1]?.text !== ':' || tokens[open]?.text !== '{') return null;
  const shape = await objectShape(tokens, open, tools);
  const field = shape && fieldOf(shape, nameOf(tokens[at - 2]));
  const values = field === undefined ? [] : valuesOf(field);
  const items = values.map((label) => ({ label, detail: '', about: '', insert: label, caretBack: 0 }));
  return items.length === 0 ? null : { from: from + 1, to: from + text.length - 1, items };
}
