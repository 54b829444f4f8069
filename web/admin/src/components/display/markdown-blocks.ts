/** A piece of text within a line. */
export type Span =
  | { readonly kind: 'text' | 'code' | 'strong' | 'emphasis'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly href: string };

/** A block of Markdown. */
export type Block =
  | { readonly kind: 'paragraph' | 'quote'; readonly lines: readonly (readonly Span[])[] }
  | { readonly kind: 'heading'; readonly spans: readonly Span[] }
  | {
      readonly kind: 'list';
      readonly isOrdered: boolean;
      readonly start: number;
      readonly items: readonly { readonly depth: number; readonly spans: readonly Span[] }[];
    }
  | { readonly kind: 'code'; readonly text: string }
  | {
      readonly kind: 'table';
      readonly head: readonly (readonly Span[])[];
      readonly rows: readonly (readonly (readonly Span[])[])[];
    }
  | { readonly kind: 'rule' };

const listItem = /^( {0,12})([-*+]|\d{1,9}[.)]) (.*)$/;

/**
 * Reads the Markdown that models write. HTML, images and links to anything but the web stay text, so the result is
 * safe to show whatever a model or an API wrote.
 */
export function markdownBlocks(text: string): Block[] {
  const lines = text.split('\n');
  const blocks: Block[] = [];
  let at = 0;
  const take = (belongs: (line: string) => boolean): string[] => {
    const from = at;
    while (at < lines.length && belongs(lines[at]!)) at++;
    return lines.slice(from, at);
  };
  while (at < lines.length) {
    const line = lines[at]!;
    if (line.trim() === '') at++;
    else if (isFence(line)) {
      at++;
      blocks.push({ kind: 'code', text: take((one) => !isFence(one)).join('\n') });
      at++;
    } else if (/^#{1,6} /.test(line)) {
      at++;
      blocks.push({ kind: 'heading', spans: spansIn(line.slice(line.indexOf(' ') + 1)) });
    } else if (isRule(line)) {
      at++;
      blocks.push({ kind: 'rule' });
    } else if (line.startsWith('>')) {
      const quoted = take((one) => one.startsWith('>'));
      blocks.push({ kind: 'quote', lines: quoted.map((one) => spansIn(one.slice(1).trim())) });
    } else if (listItem.test(line))
      blocks.push(listOf(take((one) => listItem.test(one) || isContinued(one))));
    else if (isTable(line, lines[at + 1])) {
      const [head, , ...rows] = take((one) => one.includes('|')).map(cellsOf);
      blocks.push({ kind: 'table', head: head ?? [], rows });
    } else {
      const from = at++;
      while (at < lines.length && !startsBlock(lines[at]!)) at++;
      blocks.push({ kind: 'paragraph', lines: lines.slice(from, at).map(spansIn) });
    }
  }
  return blocks;
}

const isFence = (line: string): boolean => line.trimStart().startsWith('```');
const isRule = (line: string): boolean => /^(?:-{3,}|\*{3,}|_{3,})$/.test(line.trim());
const isContinued = (line: string): boolean => line.startsWith('  ') && line.trim() !== '';
const isTable = (line: string, next: string | undefined): boolean =>
  line.includes('|') &&
  next !== undefined &&
  next.includes('-') &&
  /^[\s|:-]+$/.test(next) &&
  next.includes('|');
const startsBlock = (line: string): boolean =>
  line.trim() === '' || isFence(line) || /^#{1,6} /.test(line) || line.startsWith('>') || listItem.test(line);

function listOf(lines: readonly string[]): Block {
  const items: { depth: number; text: string }[] = [];
  const first = listItem.exec(lines[0]!)![2]!;
  for (const line of lines) {
    const found = listItem.exec(line);
    const last = items.at(-1);
    if (found) items.push({ depth: Math.min(3, found[1]!.length >> 1), text: found[3]! });
    else if (last) last.text += ` ${line.trim()}`;
  }
  return {
    kind: 'list',
    isOrdered: /\d/.test(first),
    start: Number.parseInt(first, 10) || 1,
    items: items.map(({ depth, text }) => ({ depth, spans: spansIn(text) })),
  };
}

function cellsOf(line: string): Span[][] {
  const cells = line.trim().split('|');
  if (cells[0] === '') cells.shift();
  if (cells.at(-1) === '') cells.pop();
  return cells.map((cell) => spansIn(cell.trim()));
}

const span =
  /`([^`\n]+)`|\*\*([^*\n]+)\*\*|__([^_\n]+)__|\*([^*\s][^*\n]*)\*|\[([^\]\n]{1,500})\]\((https?:\/\/[^\s)]{1,2000})\)/g;

function spansIn(line: string): Span[] {
  const spans: Span[] = [];
  let end = 0;
  for (const found of line.matchAll(span)) {
    if (found.index > end) spans.push({ kind: 'text', text: line.slice(end, found.index) });
    const [whole, code, strong, underlined, emphasis, label, href] = found;
    if (code !== undefined) spans.push({ kind: 'code', text: code });
    else if (strong !== undefined || underlined !== undefined)
      spans.push({ kind: 'strong', text: strong ?? underlined! });
    else if (emphasis !== undefined) spans.push({ kind: 'emphasis', text: emphasis });
    else spans.push({ kind: 'link', text: label!, href: href! });
    end = found.index + whole.length;
  }
  if (end < line.length) spans.push({ kind: 'text', text: line.slice(end) });
  return spans;
}
