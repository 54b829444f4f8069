/** A piece of HTML or XML: text with its entities decoded, or a tag. */
export type Markup =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'open';
      /** As written, with its prefix. */
      readonly name: string;
      /** Everything between the name and the end of the tag. */
      readonly attributes: string;
      readonly empty: boolean;
      /** Where the tag is in the source. */
      readonly from: number;
      readonly to: number;
    }
  | { readonly kind: 'close'; readonly name: string; readonly from: number; readonly to: number };

const maxTagLength = 16_384;
const nameStart = /[A-Za-z_]/;

/**
 * Reads markup piece by piece from left to right, each character a bounded number of times. Comments,
 * declarations and processing instructions are skipped; anything that isn't a tag is text. The content of
 * elements listed in `raw` (lower case) is one text.
 */
export function* scanMarkup(source: string, raw: ReadonlySet<string> = new Set()): Generator<Markup> {
  let at = 0;
  let text = '';
  // An unclosed tag would be searched for from every `<` on: after the first one, the rest is text.
  let tagsEnd = true;
  const flush = function* (): Generator<Markup> {
    if (text !== '') yield { kind: 'text', text: readEntities(text) };
    text = '';
  };
  while (at < source.length) {
    const open = tagsEnd ? source.indexOf('<', at) : -1;
    if (open < 0) {
      text += source.slice(at);
      break;
    }
    text += source.slice(at, open);
    const next = source[open + 1];
    const after = next === '!' || next === '?' ? skipped(source, open) : null;
    if (after !== null) {
      if (after.cdata !== null) {
        yield* flush();
        if (after.cdata !== '') yield { kind: 'text', text: after.cdata };
      }
      at = after.end;
      continue;
    }
    const closes = source[open + 1] === '/';
    const nameAt = open + (closes ? 2 : 1);
    if (!nameStart.test(source[nameAt] ?? '')) {
      text += '<';
      at = open + 1;
      continue;
    }
    const end = tagEnd(source, nameAt);
    if (end < 0) {
      tagsEnd = end !== never;
      text += '<';
      at = open + 1;
      continue;
    }
    const inner = source.slice(nameAt, end);
    const name = nameIn(inner);
    at = end + 1;
    yield* flush();
    if (closes) {
      yield { kind: 'close', name, from: open, to: at };
      continue;
    }
    const empty = inner.endsWith('/');
    const attributes = inner.slice(name.length, empty ? -1 : undefined);
    yield { kind: 'open', name, attributes, empty, from: open, to: at };
    if (empty || !raw.has(name.toLowerCase())) continue;
    const closing = closingTag(source, at, name);
    const content = source.slice(at, closing);
    if (content !== '') yield { kind: 'text', text: content };
    at = closing;
  }
  yield* flush();
}

/**
 * Skips what isn't content: comments, CDATA sections (their text is content), declarations, instructions. An
 * unclosed one takes the rest.
 */
function skipped(source: string, at: number): { end: number; cdata: string | null } | null {
  const upTo = (mark: string, from: number, cdata = false) => {
    const found = source.indexOf(mark, from);
    const end = found < 0 ? source.length : found;
    return {
      end: Math.min(source.length, end + mark.length),
      cdata: cdata ? source.slice(from, end) : null,
    };
  };
  if (source.startsWith('<!--', at)) return upTo('-->', at + 4);
  if (source.startsWith('<![CDATA[', at)) return upTo(']]>', at + 9, true);
  if (source.startsWith('<?', at)) return upTo('>', at + 2);
  if (!source.startsWith('<!', at)) return null;
  const declaration = upTo('>', at + 2);
  // A doctype may declare entities between brackets; they are never expanded.
  return source.slice(at, declaration.end).includes('[') ? upTo(']>', at + 2) : declaration;
}

const never = -2;

/** Where a tag ends; -1 if it isn't a tag, -2 if the text ends first. */
function tagEnd(source: string, from: number): number {
  let quote = '';
  const last = Math.min(source.length, from + maxTagLength);
  for (let at = from; at < last; at++) {
    const character = source[at]!;
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '>') return at;
    else if (character === '<') return -1;
    else if (character === '"' || character === "'") quote = character;
  }
  return never;
}

function nameIn(tag: string): string {
  let end = 0;
  while (end < tag.length && !/[\s/>"'=]/.test(tag[end]!)) end++;
  return tag.slice(0, end);
}

function closingTag(source: string, from: number, name: string): number {
  for (let at = source.indexOf('</', from); at >= 0; at = source.indexOf('</', at + 2)) {
    if (source.slice(at + 2, at + 2 + name.length).toLowerCase() === name.toLowerCase()) return at;
  }
  return source.length;
}

/** The attributes of a tag by name (lower case for HTML), with entities decoded; empty for one without a value. */
export function attributesOf(text: string, language: 'html' | 'xml'): Record<string, string> {
  const found: Record<string, string> = Object.create(null);
  let at = 0;
  const skip = (isSkipped: (character: string) => boolean): void => {
    while (at < text.length && isSkipped(text[at]!)) at++;
  };
  while (at < text.length) {
    skip((character) => isSpace(character) || character === '/');
    const start = at;
    skip((character) => !isSpace(character) && character !== '=');
    const written = text.slice(start, at);
    const name = language === 'html' ? written.toLowerCase() : written;
    skip(isSpace);
    if (text[at] !== '=') {
      if (name !== '') found[name] = '';
      continue;
    }
    at++;
    skip(isSpace);
    const quote = text[at] === '"' || text[at] === "'" ? text[at] : null;
    const from = quote === null ? at : at + 1;
    at = from;
    skip((character) => (quote === null ? !isSpace(character) : character !== quote));
    if (name !== '') found[name] = readEntities(text.slice(from, at));
    at++;
  }
  return found;
}

function isSpace(character: string): boolean {
  return (
    character === ' ' || character === '\n' || character === '\t' || character === '\r' || character === '\f'
  );
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  copy: '©',
  reg: '®',
  trade: '™',
  middot: '·',
  bull: '•',
  times: '×',
  deg: '°',
  euro: '€',
  pound: '£',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  Auml: 'Ä',
  Ouml: 'Ö',
  Uuml: 'Ü',
  szlig: 'ß',
  eacute: 'é',
  egrave: 'è',
  agrave: 'à',
  ccedil: 'ç',
  ntilde: 'ñ',
  oacute: 'ó',
  aacute: 'á',
  iacute: 'í',
  uacute: 'ú',
};

function readEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,8});/gi, (whole, name: string) => {
    if (name[0] !== '#') return entities[name] ?? entities[name.toLowerCase()] ?? whole;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10_ffff && (code < 0xd800 || code > 0xdfff)
      ? String.fromCodePoint(code)
      : whole;
  });
}
