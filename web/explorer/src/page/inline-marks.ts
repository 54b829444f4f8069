/** A mark within a line: its position and content. */
export interface InlineMark {
  readonly start: number;
  readonly end: number;
  readonly kind: 'code' | 'strong' | 'emphasis' | 'struck' | 'link';
  /** The text between the marks; for a bare URL, the URL. */
  readonly text: string;
  /** The target of a link. */
  readonly address?: string;
}

const maxLabelLength = 300;
const maxAddressLength = 1_300;

/**
 * The marks of a line, in order. Each character is read a bounded number of times: descriptions and results are
 * untrusted, and a single regular expression for all of this takes minutes on some lines.
 */
export function inlineMarks(text: string): InlineMark[] {
  const line = new Line(text);
  const marks: InlineMark[] = [];
  for (let at = 0; at < text.length;) {
    const mark = line.markAt(at);
    if (mark !== null) marks.push(mark);
    at = mark === null ? at + 1 : mark.end;
  }
  return marks;
}

class Line {
  readonly #text: string;
  /** The offset after which a closing mark is known to be missing, so that it isn't searched for again. */
  readonly #absent = new Map<string, number>();

  constructor(text: string) {
    this.#text = text;
  }

  markAt(at: number): InlineMark | null {
    switch (this.#text[at]) {
      case '`':
        return this.#between(at, '`', 'code');
      case '*':
        if (this.#text[at + 1] !== '*') return this.#emphasis(at, '*');
        return this.#text[at + 2] === '*' ? null : this.#between(at, '**', 'strong');
      case '_':
        return /\w/.test(this.#text[at - 1] ?? '') ? null : this.#emphasis(at, '_');
      case '~':
        return this.#text[at + 1] === '~' ? this.#between(at, '~~', 'struck') : null;
      case '!':
        return this.#text[at + 1] === '[' ? this.#link(at, at + 1) : null;
      case '[':
        return this.#link(at, at);
      case '<':
        return this.#address(at, at + 1);
      case 'h':
        return this.#address(at, at);
      default:
        return null;
    }
  }

  #find(what: string, from: number): number {
    if (from >= (this.#absent.get(what) ?? Infinity)) return -1;
    const found = this.#text.indexOf(what, from);
    if (found < 0) this.#absent.set(what, from);
    return found;
  }

  #between(start: number, mark: string, kind: InlineMark['kind']): InlineMark | null {
    const from = start + mark.length;
    const close = this.#find(mark, from);
    return close <= from
      ? null
      : { start, end: close + mark.length, kind, text: this.#text.slice(from, close) };
  }

  #emphasis(start: number, mark: string): InlineMark | null {
    if (/[\s*_]/.test(this.#text[start + 1] ?? ' ')) return null;
    const found = this.#between(start, mark, 'emphasis');
    return found !== null && mark === '_' && /\w/.test(this.#text[found.end] ?? '') ? null : found;
  }

  #link(start: number, bracket: number): InlineMark | null {
    const close = this.#find(']', bracket);
    if (close < 0 || close - bracket > maxLabelLength + 1 || this.#text[close + 1] !== '(') return null;
    const label = this.#text.slice(bracket + 1, close);
    if (label.includes('[')) return null;
    const end = this.#find(')', close);
    if (end < 0 || end - close > maxAddressLength) return null;
    // A title may follow the URL.
    const [address = ''] = this.#text
      .slice(close + 2, end)
      .trim()
      .split(/\s/, 1);
    return { start, end: end + 1, kind: 'link', text: label, address };
  }

  #address(start: number, from: number): InlineMark | null {
    if (!this.#text.startsWith('http://', from) && !this.#text.startsWith('https://', from)) return null;
    let end = this.#text.indexOf('//', from) + 2;
    const first = end;
    while (end < this.#text.length && !/[\s<>()]/.test(this.#text[end]!)) end++;
    while (end > first && /[.,;:!?'"]/.test(this.#text[end - 1]!)) end--;
    if (end - first < 2) return null;
    const address = this.#text.slice(from, end);
    return { start, end: this.#text[end] === '>' ? end + 1 : end, kind: 'link', text: address, address };
  }
}
