/** A JSON value, read only as far as needed to summarize it: long lists and wide objects are cut. */
export type Skim = null | boolean | number | string | SkimmedList | SkimmedObject;

/** A list with its first items, and its length. */
export class SkimmedList {
  readonly items: Skim[] = [];
  length = 0;
}

/** An object with its first fields, and how many it has. */
export class SkimmedObject {
  readonly fields = new Map<string, Skim>();
  size = 0;
}

// More than a preview or a shape ever shows.
const maxItems = 100;
const maxFields = 520;
const maxParts = 100_000;
const deepest = 100_000;

/**
 * Reads a JSON text in one pass without building it, so that its length costs time but no memory; undefined for
 * text that `JSON.parse` rejects. `onRecord` is called with the start of each item if the text is a list.
 */
export function skimJson(text: string, onRecord?: (at: number) => void): Skim | undefined {
  const open: (SkimmedList | SkimmedObject)[] = [];
  // For each one, whether it is kept. The others are only read through.
  const kept: boolean[] = [];
  let parts = 0;
  let root: Skim = null;
  let key = '';
  let at = spacesEnd(text, 0);
  for (;;) {
    const depth = open.length;
    const parent = open[depth - 1];
    const isKept = depth === 0 || (kept[depth - 1]! && hasRoom(parent!) && parts < maxParts);
    if (depth === 1 && onRecord !== undefined && parent instanceof SkimmedList) onRecord(at);
    const code = text.charCodeAt(at);
    let value: Skim = null;
    let end: number;
    if (code === openList || code === openObject) {
      if (depth === deepest) return undefined;
      const made =
        code === openList
          ? isKept
            ? new SkimmedList()
            : passedList
          : isKept
            ? new SkimmedObject()
            : passedObject;
      value = made;
      open.push(made);
      kept.push(isKept);
      end = at + 1;
    } else if (code === quote) {
      end = stringEnd(text, at);
      if (end > 0 && isKept) value = stringOf(text, at, end);
    } else if (code === 0x74 && text.startsWith('true', at)) {
      value = true;
      end = at + 4;
    } else if (code === 0x66 && text.startsWith('false', at)) {
      value = false;
      end = at + 5;
    } else if (code === 0x6e && text.startsWith('null', at)) {
      end = at + 4;
    } else {
      end = numberEnd(text, at);
      if (end > 0 && isKept) value = Number(text.slice(at, end));
    }
    if (end < 0) return undefined;
    if (isKept) parts++;
    if (parent === undefined) root = value;
    else add(parent, isKept, key, value);
    at = spacesEnd(text, end);
    // Just opened: it may be empty.
    if (open.length > depth) {
      const made = open[depth]!;
      if (text.charCodeAt(at) !== closerOf(made)) {
        if (made instanceof SkimmedList) continue;
        const colon = readKey(at);
        if (colon < 0) return undefined;
        at = colon;
        continue;
      }
      open.pop();
      kept.pop();
      at = spacesEnd(text, at + 1);
    }
    let hasMore = false;
    while (open.length > 0 && !hasMore) {
      const holder = open.at(-1)!;
      const next = text.charCodeAt(at);
      if (next === comma) {
        at = spacesEnd(text, at + 1);
        if (holder instanceof SkimmedObject) at = readKey(at);
        if (at < 0) return undefined;
        hasMore = true;
      } else if (next === closerOf(holder)) {
        open.pop();
        kept.pop();
        at = spacesEnd(text, at + 1);
      } else return undefined;
    }
    if (!hasMore) return at === text.length ? root : undefined;
  }

  /** Reads `"key" :` and returns where its value starts; negative if there is none. */
  function readKey(from: number): number {
    if (text.charCodeAt(from) !== quote) return -1;
    const end = stringEnd(text, from);
    if (end < 0) return -1;
    const colon = spacesEnd(text, end);
    if (text.charCodeAt(colon) !== 0x3a) return -1;
    if (kept.at(-1)! && hasRoom(open.at(-1)!)) key = stringOf(text, from, end);
    return spacesEnd(text, colon + 1);
  }
}

// Placeholders for everything that is only read through.
const passedList = new SkimmedList();
const passedObject = new SkimmedObject();

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openList = 0x5b;
const openObject = 0x7b;

function closerOf(holder: SkimmedList | SkimmedObject): number {
  return holder instanceof SkimmedList ? 0x5d : 0x7d;
}

function hasRoom(holder: SkimmedList | SkimmedObject): boolean {
  return holder instanceof SkimmedList ? holder.items.length < maxItems : holder.fields.size < maxFields;
}

function add(holder: SkimmedList | SkimmedObject, isKept: boolean, key: string, value: Skim): void {
  if (holder instanceof SkimmedList) {
    holder.length++;
    if (isKept) holder.items.push(value);
  } else {
    holder.size++;
    if (isKept) holder.fields.set(key, value);
  }
}

function spacesEnd(text: string, from: number): number {
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at;
    at++;
  }
}

/** Where the text after a string starts; negative if there is no string here. */
function stringEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) return at + 1;
    if (code < 0x20) return -1;
    if (code !== backslash) continue;
    at++;
    const escaped = text[at] ?? '';
    if (escaped === 'u') {
      if (!/^[\da-f]{4}$/i.test(text.slice(at + 1, at + 5))) return -1;
      at += 4;
    } else if (escaped === '' || !'"\\/bfnrt'.includes(escaped)) return -1;
  }
  return -1;
}

function stringOf(text: string, from: number, end: number): string {
  const inside = text.slice(from + 1, end - 1);
  return inside.includes('\\') ? String(JSON.parse(text.slice(from, end))) : inside;
}

/** Where the text after a number starts; negative if there is no number here. */
function numberEnd(text: string, from: number): number {
  let at = text.charCodeAt(from) === 0x2d ? from + 1 : from;
  if (text.charCodeAt(at) === 0x30) at++;
  else if ((at = digitsEnd(text, at)) < 0) return -1;
  if (text.charCodeAt(at) === 0x2e && (at = digitsEnd(text, at + 1)) < 0) return -1;
  const code = text.charCodeAt(at);
  if (code !== 0x65 && code !== 0x45) return at;
  const sign = text.charCodeAt(at + 1);
  return digitsEnd(text, sign === 0x2b || sign === 0x2d ? at + 2 : at + 1);
}

function digitsEnd(text: string, from: number): number {
  let at = from;
  for (let code = text.charCodeAt(at); code >= 0x30 && code <= 0x39; code = text.charCodeAt(at)) at++;
  return at === from ? -1 : at;
}
