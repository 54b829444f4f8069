import { isObject } from '../json/plain-object.ts';

// Descriptions in API documents are written for web pages: HTML, images, badges, link targets. A model needs
// only the text.

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  '#39': "'",
  mdash: '—',
  ndash: '–',
  hellip: '…',
};

const blockTags =
  /<\/?(?:p|div|ul|ol|tr|table|thead|tbody|h[1-6]|blockquote|pre|section|dl|dt|dd)\b[^<>]*>/gi;
const anyTag = /<\/?[a-z][a-z0-9-]*(?:\s[^<>]*)?\/?>/gi;

// Neither reads past the next opening bracket, so each character is read once, however many brackets are never
// closed.
const image = /!\[([^\][\n]*)\]\([^)[\n]*\)/g;
const link = /\[([^\][\n]*)\]\((?:[^()[\n]|\([^()[\n]*\))*\)/g;

// Placeholders of page generators: `{% data variables.product %}`, `{{% note %}}`, `{{< tabs >}}`.
const template = /( ?)\{\{?[%<#][^{}]*[%>#]\}\}?( ?)/g;

/** Markdown or HTML as plain text of at most `maxLength` characters, cut at the end of a sentence or word. */
export function tidyText(text: string, maxLength: number): string {
  // Text far beyond the limit is never shown; cutting first bounds the work below.
  const tidy = withoutComments(text.slice(0, maxLength * 8).replace(/\r\n?/g, '\n'))
    .replace(template, (_tag, before: string, after: string) => (before && after ? ' ' : before + after))
    .replace(image, '$1')
    .replace(link, '$1')
    .replace(/<(?:br|hr)\s*\/?>/gi, '\n')
    .replace(/<li\b[^<>]*>/gi, '\n- ')
    .replace(blockTags, '\n')
    .replace(anyTag, '')
    .replace(/&(#?\w{1,6});/g, (whole, name: string) => entities[name.toLowerCase()] ?? whole)
    .replace(/^ {0,3}#{1,6}\s+/gm, '')
    .replace(/\*\*(?=\S)([^*\n]*[^*\s])\*\*|__(?=\S)([^_\n]*[^_\s])__/g, '$1$2')
    .replace(/(?![\n\t])[\p{Cc}\p{Cf}]/gu, '')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return cutText(tidy, maxLength);
}

function withoutComments(text: string): string {
  const kept: string[] = [];
  let at = 0;
  for (;;) {
    const start = text.indexOf('<!--', at);
    const end = start === -1 ? -1 : text.indexOf('-->', start + 4);
    if (end === -1) return kept.join('') + text.slice(at);
    kept.push(text.slice(at, start));
    at = end + 3;
  }
}

/** Cuts at the end of a sentence if one ends in the last third, otherwise at a word, and marks the cut. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const head = text.slice(0, maxLength - 1);
  const sentence = Math.max(head.lastIndexOf('. '), head.lastIndexOf('.\n'), head.lastIndexOf('\n\n'));
  if (sentence > maxLength * 0.66) return `${head.slice(0, sentence + 1).trimEnd()} …`;
  const word = head.lastIndexOf(' ');
  return `${(word > maxLength * 0.66 ? head.slice(0, word) : head).trimEnd()}…`;
}

/** Whether two texts differ only in letter case, spaces and punctuation. */
export function saysTheSame(a: string, b: string): boolean {
  return a === b || lettersOf(a) === lettersOf(b);
}

function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

// An expression such as `/\/+$/` starts over at every slash of a long run, which takes quadratic time. These
// read it once.

/** The text without the run of one character at its end. */
export function trimEndOf(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return end === text.length ? text : text.slice(0, end);
}

/** The text without the runs of one character at its start and end. */
export function trimBothOf(text: string, character: string): string {
  let start = 0;
  while (start < text.length && text[start] === character) start++;
  return trimEndOf(start === 0 ? text : text.slice(start), character);
}

/** The first sentence of a description on one line, cut at a word if it is longer than `max` characters. */
export function firstSentence(description: string, max: number): string {
  // Text far beyond the cut doesn't need to be read.
  const text = description
    .slice(0, max * 4)
    .replace(/\s+/gu, ' ')
    .trim();
  const end = /(?<![ (][A-Za-z]|e\.g|i\.e|etc|vs)[.!?](?= \S)|[。！？]/u.exec(text);
  const sentence = end ? text.slice(0, end.index + 1) : text;
  if (sentence.length <= max) return sentence;
  const cut = sentence.slice(0, max - 1);
  const space = cut.lastIndexOf(' ');
  const kept = space > max / 2 ? cut.slice(0, space) : cut;
  // A cut inside a surrogate pair would leave broken text.
  return `${kept.replace(/[\uD800-\uDBFF]$/, '')}…`;
}

// Characters that are invisible or reverse the reading direction. Tabs and line ends stay.
const unseen = /(?![\n\t\r])[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** A value without invisible characters; the same value if it has none. */
export function visible(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(unseen, '');
  if (Array.isArray(value)) {
    const items = value.map(visible);
    return items.every((item, i) => item === value[i]) ? value : items;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, visible(inner)] as const);
  return entries.every(([key, inner]) => inner === value[key]) ? value : Object.fromEntries(entries);
}
