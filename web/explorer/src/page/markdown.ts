import { h } from './dom.ts';
import type { Child } from './dom.ts';
import { inlineMarks, type InlineMark } from './inline-marks.ts';
import { safeLink } from './safe-url.ts';

/**
 * Renders the Markdown people use in descriptions and results: headings, paragraphs, lists, quotes, code, tables,
 * emphasis and links. It builds elements, never markup, so unknown syntax stays text.
 */
export function markdown(source: string): HTMLElement {
  const lines = source.replaceAll('\r\n', '\n').slice(0, maxLength).split('\n');
  return h('div', { class: 'markdown' }, blocks(lines, 0));
}

/** Whether a text has Markdown worth rendering. */
export function looksLikeMarkdown(text: string): boolean {
  return marksOfBlocks.test(text.slice(0, 20_000)) || marksOfLines.test(text.slice(0, 20_000));
}

const marksOfBlocks = /^(?:#{1,6} \S|[ \t]{0,12}[-*+] \S|[ \t]{0,12}\d{1,9}\. \S|```|> |\|.+\|$)/m;
const marksOfLines = /\*\*\S|\[[^\][\n]{1,300}\]\([^)\n]{1,1000}\)|`[^`\n]{1,300}`/;

/** The first words of a text without Markdown, for one line in a list. */
export function plainText(source: string): string {
  return source
    .slice(0, 400)
    .replace(/!?\[([^\][]*)\]\([^()[\]]*\)/g, '$1')
    .replace(/[`*_#>|]+/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 160);
}

const maxLength = 200_000;
const maxNesting = 6;
/** A longer line isn't prose. */
const maxLine = 4000;

function blocks(lines: string[], depth: number): Child[] {
  const drawn: Child[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] as string;
    if (line.trim() === '') {
      at++;
      continue;
    }
    const [block, next] = readBlock(lines, at, depth);
    drawn.push(block);
    at = next;
  }
  return drawn;
}

/** One block and the line after it. Always advances by at least one line. */
function readBlock(lines: string[], at: number, depth: number): [Child, number] {
  const line = lines[at] as string;
  if (line.length > maxLine) return [h('p', {}, line), at + 1];
  const fence = /^\s*(```|~~~)/.exec(line);
  if (fence) return readFence(lines, at, fence[1] as string);
  const heading = /^(#{1,6})\s/.exec(line);
  if (heading) {
    const level = (heading[1] as string).length;
    return [h('p', { class: `heading level-${level}` }, inline(headingText(line.slice(level)))), at + 1];
  }
  if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) return [h('hr'), at + 1];
  if (depth < maxNesting && /^\s*>/.test(line)) {
    const end = endOf(lines, at, (text) => /^\s*>/.test(text));
    const inner = lines.slice(at, end).map((text) => text.replace(/^\s*> ?/, ''));
    return [h('blockquote', {}, blocks(inner, depth + 1)), end];
  }
  if (depth < maxNesting && listMark.test(line)) return readList(lines, at, depth);
  if (line.includes('|') && (lines[at + 1] ?? '').length <= maxLine && isTableRule(lines[at + 1] ?? ''))
    return readTable(lines, at);
  const end = Math.max(
    at + 1,
    endOf(
      lines,
      at,
      (text) => text.trim() !== '' && !/^\s*(```|~~~|>|#{1,6}\s)/.test(text) && !listMark.test(text),
    ),
  );
  return [h('p', {}, withBreaks(lines.slice(at, end))), end];
}

/** The text of a heading, without closing marks. */
function headingText(rest: string): string {
  let text = rest.trim();
  while (text.endsWith('#')) text = text.slice(0, -1);
  return text.trim();
}

/** The line below a table's header: a dash in each column, with colons for alignment. */
function isTableRule(line: string): boolean {
  return line.includes('-') && cellsOf(line).every((cell) => /^:?-+:?$/.test(cell));
}

function cellsOf(line: string): string[] {
  return line
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => cell.trim());
}

const listMark = /^(\s*)([-*+]|\d{1,9}[.)])\s+/;

function endOf(lines: string[], from: number, belongs: (line: string) => boolean): number {
  let end = from;
  while (end < lines.length && belongs(lines[end] as string)) end++;
  return end;
}

function readFence(lines: string[], at: number, fence: string): [Child, number] {
  const end = endOf(lines, at + 1, (line) => !line.trim().startsWith(fence));
  return [h('pre', { tabindex: 0 }, h('code', {}, lines.slice(at + 1, end).join('\n'))), end + 1];
}

function readList(lines: string[], at: number, depth: number): [Child, number] {
  const first = listMark.exec(lines[at] as string) as RegExpExecArray;
  const indent = (first[1] as string).length;
  const items: string[][] = [];
  let end = at;
  while (end < lines.length) {
    const line = lines[end] as string;
    const mark = listMark.exec(line);
    if (mark && (mark[1] as string).length <= indent) items.push([line.slice(mark[0].length)]);
    else if (line.trim() !== '' && /^\s/.test(line))
      items.at(-1)?.push(line.slice(Math.min(indent + 2, line.search(/\S/))));
    else break;
    end++;
  }
  const ordered = /\d/.test(first[2] as string);
  const drawn = items.map((item) => {
    const rest = item.slice(1);
    return h('li', {}, inline(item[0] as string), blocks(rest, depth + 1));
  });
  return [h(ordered ? 'ol' : 'ul', {}, drawn), Math.max(end, at + 1)];
}

function readTable(lines: string[], at: number): [Child, number] {
  const end = endOf(lines, at + 2, (line) => line.includes('|'));
  const head = cellsOf(lines[at] as string);
  const rows = lines.slice(at + 2, end).map(cellsOf);
  const table = h(
    'table',
    {},
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        head.map((cell) => h('th', { scope: 'col' }, inline(cell))),
      ),
    ),
    h(
      'tbody',
      {},
      rows.map((row) =>
        h(
          'tr',
          {},
          head.map((_cell, column) => h('td', {}, inline(row[column] ?? ''))),
        ),
      ),
    ),
  );
  return [h('div', { class: 'table-scroll', tabindex: 0 }, table), end];
}

function withBreaks(lines: string[]): Child[] {
  return lines.flatMap((line, index) => {
    const text = inline(line.trim());
    if (index === lines.length - 1) return text;
    return [...text, /( {2}|\\)$/.test(line) ? h('br') : ' '];
  });
}

/** Marks inside a line. The text between them is plain, and links are limited to web and mail URLs. */
function inline(text: string, depth = 0): Child[] {
  if (depth > maxNesting || text.length > maxLine) return [text];
  const drawn: Child[] = [];
  let after = 0;
  for (const mark of inlineMarks(text)) {
    drawn.push(text.slice(after, mark.start), drawMark(mark, text, depth));
    after = mark.end;
  }
  drawn.push(text.slice(after));
  return drawn;
}

function drawMark({ kind, text, start, end, address = '' }: InlineMark, line: string, depth: number): Child {
  switch (kind) {
    case 'code':
      return h('code', {}, text);
    case 'strong':
      return h('strong', {}, inline(text, depth + 1));
    case 'emphasis':
      return h('em', {}, inline(text, depth + 1));
    case 'struck':
      return h('s', {}, inline(text, depth + 1));
    case 'link': {
      const href = safeLink(address);
      if (href !== null) return externalLink(href, text || href);
      return text === address ? line.slice(start, end) : text;
    }
  }
}

/** A link to another page that sends no referrer. */
export function externalLink(href: string, text: string): HTMLElement {
  return h('a', { href, target: '_blank', rel: 'noopener noreferrer nofollow' }, text);
}
