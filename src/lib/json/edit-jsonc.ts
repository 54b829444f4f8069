/** What `setInJsonc` cannot edit, in words that can be shown. */
export class JsoncError extends Error {
  override readonly name = 'JsoncError';
}

interface Property {
  readonly key: string;
  readonly valueFrom: number;
  readonly valueTo: number;
}

interface Block {
  readonly properties: readonly Property[];
  /** Where the closing brace stands. */
  readonly end: number;
  readonly trailingComma: boolean;
}

/**
 * Sets one value in the text of a JSON document that may have comments and trailing commas, as editors keep their
 * settings, and leaves every other character as it is. Objects on the way that are missing are made.
 */
export function setInJsonc(text: string, path: readonly string[], value: unknown): string {
  const start = skip(text, text.charCodeAt(0) === 0xfeff ? 1 : 0);
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  if (start === text.length) return text + render(nest(path, value), indent, '', newline) + newline;
  const rest = skip(text, valueEnd(text, start));
  if (rest !== text.length) throw new JsoncError('there is something after its end');

  let from = start;
  for (const [depth, key] of path.entries()) {
    const block = readObject(text, from);
    const known = block.properties.findLast((property) => property.key === key);
    const last = depth === path.length - 1;
    if (known && !last) {
      from = known.valueFrom;
      continue;
    }
    const margin = indent.repeat(depth + 1);
    if (known) {
      const whole = render(value, indent, margin, newline);
      return text.slice(0, known.valueFrom) + whole + text.slice(known.valueTo);
    }
    const whole = render(nest(path.slice(depth + 1), value), indent, margin, newline);
    return insert(text, block, `${JSON.stringify(key)}: ${whole}`, margin, indent.repeat(depth), newline);
  }
  throw new JsoncError('no place in it was named');
}

/**
 * Adds an object to a list at the top of such a document, unless the list has one with the same `id` already; makes the
 * list when it is missing.
 */
export function addToJsoncList(
  text: string,
  key: string,
  item: Readonly<Record<string, unknown>> & { readonly id: string },
): string {
  const start = skip(text, text.charCodeAt(0) === 0xfeff ? 1 : 0);
  const list =
    start === text.length ? undefined : readObject(text, start).properties.findLast((one) => one.key === key);
  if (list === undefined) return setInJsonc(text, [key], [item]);
  if (text[list.valueFrom] !== '[') throw new JsoncError('something in it is not the list it should be');
  let lastTo: number | null = null;
  let at = skip(text, list.valueFrom + 1);
  while (text[at] !== ']') {
    if (text[at] === '{' && hasId(text, at, item.id)) return text;
    lastTo = valueEnd(text, at);
    at = skip(text, lastTo);
    if (text[at] === ',') at = skip(text, at + 1);
  }
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  const added = `${newline}${indent.repeat(2)}${render(item, indent, indent.repeat(2), newline)}`;
  if (lastTo === null)
    return `${text.slice(0, list.valueFrom + 1)}${added}${newline}${indent}${text.slice(at)}`;
  return `${text.slice(0, lastTo)},${added}${text.slice(lastTo).replace(/^\s*,/, '')}`;
}

function hasId(text: string, from: number, id: string): boolean {
  const property = readObject(text, from).properties.findLast(({ key }) => key === 'id');
  return property !== undefined && text.slice(property.valueFrom, property.valueTo) === JSON.stringify(id);
}

function insert(
  text: string,
  block: Block,
  property: string,
  margin: string,
  closing: string,
  newline: string,
): string {
  const last = block.properties.at(-1);
  const before = text.slice(0, block.end).trimEnd();
  const tail = text.slice(block.end);
  if (!last) return `${before}${newline}${margin}${property}${newline}${closing}${tail}`;
  // The comma goes right behind the value, so that a comment that follows stays with it.
  const comma = block.trailingComma ? '' : ',';
  const head = text.slice(0, last.valueTo) + comma + before.slice(last.valueTo);
  return `${head}${newline}${margin}${property}${block.trailingComma ? ',' : ''}${newline}${closing}${tail}`;
}

function render(value: unknown, indent: string, margin: string, newline: string): string {
  return JSON.stringify(value, null, indent).replaceAll('\n', `${newline}${margin}`);
}

function nest(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((inner, key) => ({ [key]: inner }), value);
}

function readObject(text: string, from: number): Block {
  if (text[from] !== '{') throw new JsoncError('something in it is not the object it should be');
  const properties: Property[] = [];
  let trailingComma = false;
  let at = skip(text, from + 1);
  while (text[at] !== '}') {
    const keyEnd = valueEnd(text, at);
    if (text[at] !== '"') throw new JsoncError('it is not JSON');
    const key: unknown = JSON.parse(text.slice(at, keyEnd));
    if (typeof key !== 'string') throw new JsoncError('it is not JSON');
    at = skip(text, keyEnd);
    if (text[at] !== ':') throw new JsoncError('it is not JSON');
    const valueFrom = skip(text, at + 1);
    const valueTo = valueEnd(text, valueFrom);
    properties.push({ key, valueFrom, valueTo });
    at = skip(text, valueTo);
    trailingComma = text[at] === ',';
    if (trailingComma) at = skip(text, at + 1);
    else if (text[at] !== '}') throw new JsoncError('it is not JSON');
  }
  return { properties, end: at, trailingComma };
}

/** Where the value that begins here ends. */
function valueEnd(text: string, from: number): number {
  const opening = text[from];
  if (opening === '{') return readObject(text, from).end + 1;
  if (opening === '[') {
    let at = skip(text, from + 1);
    while (text[at] !== ']') {
      at = skip(text, valueEnd(text, at));
      if (text[at] === ',') at = skip(text, at + 1);
      else if (text[at] !== ']') throw new JsoncError('it is not JSON');
    }
    return at + 1;
  }
  const token = /"(?:[^"\\\n]|\\.)*"|-?\d[\d.eE+-]*|true|false|null/y;
  token.lastIndex = from;
  const found = token.exec(text);
  if (!found) throw new JsoncError('it is not JSON');
  try {
    JSON.parse(found[0]);
  } catch {
    throw new JsoncError('it is not JSON');
  }
  return token.lastIndex;
}

/** The next place that is neither space nor comment. */
function skip(text: string, from: number): number {
  let at = from;
  for (;;) {
    const next = text.slice(at, at + 2);
    if (next === '//') at = endOr(text.indexOf('\n', at), text);
    else if (next === '/*') at = endOr(text.indexOf('*/', at + 2), text, 2);
    else if (next !== '' && next[0]!.trim() === '') at++;
    else return at;
  }
}

function endOr(found: number, text: string, length = 0): number {
  return found === -1 ? text.length : found + length;
}
