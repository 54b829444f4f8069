import { attributesOf, type Markup, scanMarkup } from './scan-markup.ts';

const rawElements = new Set(['script', 'style', 'template', 'svg', 'noscript', 'iframe', 'object']);
const blocks = new Set(
  'address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer form header hr html legend main menu nav ol p pre section summary table tbody tfoot thead tr ul'.split(
    ' ',
  ),
);
const headings = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
const voids = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));

/** Whether a text is an HTML page rather than XML or anything else. */
export function looksLikeHtml(text: string): boolean {
  return /^\s{0,200}(?:<\?xml[^>]{0,200}>\s{0,200})?(?:<!--[^>]{0,1000}>\s{0,200})?<(?:!doctype\s{1,20}html|html|head|body|title|h[1-6]|p|div|pre|center|br|hr|table|span|b|meta|script|style)(?![\w:-])/i.test(
    text.slice(0, 4_000),
  );
}

/**
 * The text of a page as a person would read it: no scripts, no styles, nothing hidden; one line per block, list
 * items marked, table cells separated. `marked` also marks headings and shows link targets.
 */
export function readableHtml(source: string, style: 'plain' | 'marked'): string {
  const writer = new PageWriter(style === 'marked');
  let hidden: { name: string; depth: number } | null = null;
  for (const piece of scanMarkup(source, rawElements)) {
    if (hidden !== null) {
      hidden = stillHidden(piece, hidden);
      continue;
    }
    if (piece.kind === 'text') {
      writer.text(piece.text);
      continue;
    }
    const name = piece.name.toLowerCase();
    if (piece.kind === 'close') writer.close(name);
    else if (!piece.empty && !voids.has(name) && (rawElements.has(name) || isHidden(piece.attributes)))
      hidden = { name, depth: 1 };
    else writer.open(name, piece.attributes);
  }
  return writer.written();
}

function stillHidden(piece: Markup, hidden: { name: string; depth: number }) {
  if (piece.kind === 'text' || piece.name.toLowerCase() !== hidden.name) return hidden;
  if (piece.kind === 'open' && piece.empty) return hidden;
  const depth = hidden.depth + (piece.kind === 'open' ? 1 : -1);
  return depth === 0 ? null : { ...hidden, depth };
}

// Text that readers of the page can't see could carry instructions to a model.
function isHidden(attributes: string): boolean {
  if (attributes === '') return false;
  const { style = '', hidden } = attributesOf(attributes, 'html');
  return hidden !== undefined || /display\s{0,5}:\s{0,5}none|visibility\s{0,5}:\s{0,5}hidden/i.test(style);
}

// Each addition reads the whole line, so a page on a single line would take quadratic time.
const maxLineLength = 10_000;

class PageWriter {
  readonly #marked: boolean;
  #lines: string[] = [];
  #line = '';
  #mark = '';
  #verbatim = 0;
  #title: string | null = null;
  #inTitle = false;
  #openLinks: { readonly to: string; readonly from: number; readonly line: number }[] = [];

  constructor(marked: boolean) {
    this.#marked = marked;
  }

  text(text: string): void {
    if (this.#inTitle) {
      this.#title = `${this.#title ?? ''}${text}`;
      return;
    }
    if (this.#verbatim > 0) {
      const [first = '', ...more] = text.split('\n');
      this.#line += first;
      for (const line of more) {
        this.#end();
        this.#line = line;
      }
      return;
    }
    const words = text.replace(/\s+/g, ' ');
    this.#line += this.#line === '' || this.#line.endsWith(' ') ? words.trimStart() : words;
    if (this.#line.length > maxLineLength) this.#end();
  }

  open(name: string, attributes: string): void {
    if (name === 'title') this.#inTitle = true;
    else if (name === 'br') this.#end();
    else if (name === 'li') {
      this.#end();
      this.#mark = '- ';
    } else if (headings.has(name)) {
      this.#end();
      if (this.#marked) this.#mark = `${'#'.repeat(Number(name[1]))} `;
    } else if (name === 'td' || name === 'th') {
      if (this.#line.trim() !== '') this.#line = `${this.#line.trimEnd()} | `;
    } else if (name === 'img') {
      const { alt = '' } = attributesOf(attributes, 'html');
      if (alt !== '') this.text(alt);
    } else if (name === 'a' && this.#marked) {
      const { href = '' } = attributesOf(attributes, 'html');
      this.#openLinks.push({ to: href, from: this.#line.length, line: this.#lines.length });
    } else if (blocks.has(name)) {
      this.#end();
      if (name === 'pre') this.#verbatim++;
    }
  }

  close(name: string): void {
    if (name === 'title') this.#inTitle = false;
    else if (name === 'a') this.#endLink();
    else if (name === 'li' || headings.has(name) || blocks.has(name)) {
      this.#end();
      if (name === 'pre' && this.#verbatim > 0) this.#verbatim--;
    }
  }

  #endLink(): void {
    const link = this.#openLinks.pop();
    if (link === undefined || link.line !== this.#lines.length) return;
    const words = this.#line.slice(link.from).trim();
    if (words === '' || words === link.to || !/^(?:https?:\/\/|mailto:|[/?.\w])/i.test(link.to)) return;
    if (/^(?:javascript|data|vbscript):/i.test(link.to)) return;
    this.#line = `${this.#line.trimEnd()} (${link.to})`;
  }

  #end(): void {
    const line = this.#line.trimEnd();
    if (line.trim() !== '') this.#lines.push(`${this.#mark}${line}`);
    this.#mark = '';
    this.#line = '';
  }

  written(): string {
    this.#end();
    const title = this.#title?.replace(/\s+/g, ' ').trim() ?? '';
    const said = this.#lines.some((line) => line.replace(/^#+ /, '') === title);
    return (title === '' || said ? this.#lines : [title, ...this.#lines]).join('\n');
  }
}
