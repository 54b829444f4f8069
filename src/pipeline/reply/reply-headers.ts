import { trimBothOf } from '../../lib/text/tidy-text.ts';
import type { Reply } from './reply.ts';

type Headers = Reply['headers'];

const maxLength = 500;
const maxLines = 12;

// Headers about a list: how long it is, and how to get the next page.
const aboutLists =
  /^(?:x-)?(?:[a-z]{1,20}-){0,3}(?:total|totalcount|totalpages|totalitems|totalresults|total-count|total-pages|total-items|total-results|total-records|item-count|items-count|result-count|page-count|next-page|next-cursor|next-token|cursor|continuation|continuation-token|continuationtoken|pagination)$/;
const aboutWaiting = new Set(['retry-after', 'operation-location', 'azure-asyncoperation']);

// An API sends the same headers with all its replies.
const known = new Map<string, boolean>();
const maxKnown = 2_000;

/**
 * The headers of a successful reply that add to its body: the location of a created resource, the next page of a list, its
 * length, when to poll again. Null if there are none, which is the usual case.
 */
export function informativeHeaders(headers: Headers): readonly string[] | null {
  let lines: string[] | null = null;
  for (const name in headers) {
    let isIncluded = known.get(name);
    if (isIncluded === undefined) {
      isIncluded = isInformative(name);
      if (known.size >= maxKnown) known.clear();
      known.set(name, isIncluded);
    }
    if (!isIncluded) continue;
    const text = textOf(name, headers[name]!);
    if (text === null) continue;
    lines ??= [];
    if (lines.length < maxLines) lines.push(text.slice(0, maxLength));
  }
  return lines;
}

function isInformative(name: string): boolean {
  return (
    name === 'location' ||
    name === 'link' ||
    name === 'content-range' ||
    aboutWaiting.has(name) ||
    (name.length <= 60 && aboutLists.test(name))
  );
}

function textOf(name: string, value: string): string | null {
  if (value === '' || (name === 'retry-after' && Number(value) === 0)) return null;
  if (name !== 'link') return `${name}: ${value}`;
  const next = nextLink(value);
  return next === null ? null : `next page: ${next}`;
}

const maxLinkHeaderLength = 10_000;

/** The target of the link whose relation is `next` (RFC 8288). */
export function nextLink(header: string): string | null {
  const text = header.slice(0, maxLinkHeaderLength);
  for (let open = text.indexOf('<'); open >= 0; open = text.indexOf('<', open + 1)) {
    const close = text.indexOf('>', open);
    if (close < 0) return null;
    const following = text.indexOf('<', close);
    const parameters = text.slice(close + 1, following < 0 ? undefined : following).toLowerCase();
    for (const parameter of parameters.split(/[;,]/)) {
      const [name = '', value = ''] = parameter.split('=', 2);
      const relations = trimBothOf(trimBothOf(value.trim(), '"'), "'").split(' ');
      if (name.trim() === 'rel' && relations.includes('next')) return text.slice(open + 1, close);
    }
    open = close;
  }
  return null;
}

/** The name that a reply gives its content (RFC 6266), without any path; null when it gives none. */
export function fileNameOf(headers: Headers): string | null {
  const header = headers['content-disposition']?.slice(0, 2_000);
  if (header === undefined) return null;
  const extended = /filename\*\s?=\s?"?([\w-]{1,20})'[\w-]{0,20}'([^";]{1,600})/i.exec(header);
  const plain = /filename\s?=\s?(?:"([^"]{1,300})"|([^";\s]{1,300}))/i.exec(header);
  const given = extended === null ? (plain?.[1] ?? plain?.[2]) : decoded(extended[2]!);
  const name = given?.split(/[/\\]/).at(-1)?.trim();
  return name === undefined || name === '' || name === '.' || name === '..' ? null : name.slice(0, 200);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.trim());
  } catch {
    return text.trim();
  }
}
