import { type Node, type ParseError, parseTree, visit } from 'jsonc-parser';

/** Why `setInJsonc` cannot edit a document, in words for the user. */
export class JsoncError extends Error {
  override readonly name = 'JsoncError';
}

const options = { allowTrailingComma: true, allowEmptyContent: true };

/**
 * Sets one value in a JSON document that may have comments and trailing commas, such as an editor's settings
 * file. Leaves every other character unchanged, and creates missing objects on the path.
 */
export function setInJsonc(text: string, path: readonly string[], value: unknown): string {
  const root = parse(text);
  const style = styleOf(text);
  if (root === undefined) return text + render(nest(path, value), style, 0) + style.newline;
  let node = root;
  for (const [depth, key] of path.entries()) {
    const known = valueAt(node, key);
    if (known === undefined) {
      const rendered = render(nest(path.slice(depth + 1), value), style, depth + 1);
      return insert(text, node, `${JSON.stringify(key)}: ${rendered}`, style, depth);
    }
    node = known;
  }
  return text.slice(0, node.offset) + render(value, style, path.length) + text.slice(endOf(node));
}

/**
 * Adds an object to a top-level list of such a document, unless the list already has one with the same `id`.
 * Creates the list if it is missing.
 */
export function addToJsoncList(
  text: string,
  key: string,
  item: Readonly<Record<string, unknown>> & { readonly id: string },
): string {
  const root = parse(text);
  const list = root && valueAt(root, key);
  if (list === undefined) return setInJsonc(text, [key], [item]);
  if (list.type !== 'array') throw new JsoncError('something in it is not the list it should be');
  const hasItem = list.children!.some(
    (child) => child.type === 'object' && valueAt(child, 'id')?.value === item.id,
  );
  if (hasItem) return text;
  const style = styleOf(text);
  return insert(text, list, render(item, style, 2), style, 1);
}

function parse(text: string): Node | undefined {
  const errors: ParseError[] = [];
  const root = parseTree(withoutMark(text), errors, options);
  if (errors.length > 0) throw new JsoncError('it is not valid JSON');
  return root;
}

/** Blanks the byte order mark, so that every offset stays the same. */
function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, ' ');
}

/** The value of a property. If a name is repeated, the last one counts, as in `JSON.parse`. */
function valueAt(node: Node, key: string): Node | undefined {
  if (node.type !== 'object') throw new JsoncError('something in it is not the object it should be');
  return node.children!.findLast(({ children }) => children![0]!.value === key)?.children![1];
}

function endOf(node: Node): number {
  return node.offset + node.length;
}

// The library's own `modify` puts the comma and the new value before a comment that belongs to the last value,
// and reformats that value.
function insert(text: string, container: Node, added: string, style: Style, depth: number): string {
  const bracket = endOf(container) - 1;
  const before = text.slice(0, bracket).trimEnd();
  const margin = style.newline + style.indent.repeat(depth + 1);
  const tail = style.newline + style.indent.repeat(depth) + text.slice(bracket);
  const last = container.children!.at(-1);
  if (last === undefined) return before + margin + added + tail;
  const lastEnd = endOf(last);
  if (hasComma(text, lastEnd, bracket)) return `${before}${margin}${added},${tail}`;
  return `${before.slice(0, lastEnd)},${before.slice(lastEnd)}${margin}${added}${tail}`;
}

function hasComma(text: string, from: number, to: number): boolean {
  let found = false;
  const onSeparator = (_character: string, offset: number) => {
    found ||= offset >= from && offset < to;
  };
  visit(withoutMark(text), { onSeparator }, options);
  return found;
}

interface Style {
  readonly newline: string;
  readonly indent: string;
}

function styleOf(text: string): Style {
  return {
    newline: text.includes('\r\n') ? '\r\n' : '\n',
    indent: /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ',
  };
}

function render(value: unknown, { newline, indent }: Style, depth: number): string {
  return JSON.stringify(value, null, indent).replaceAll('\n', newline + indent.repeat(depth));
}

function nest(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((inner, key) => ({ [key]: inner }), value);
}
