import { hasMoreParts } from '../../../lib/json/strict/count-parts.ts';
import { looksLikeHtml, readableHtml } from '../../../lib/markup/readable-html.ts';
import { xmlValue, type XmlValue } from '../../../lib/markup/xml-value.ts';
import { isObject } from '../../../lib/json/plain-object.ts';

/** A parsed error body: a value if it has fields, else its text. */
export type ErrorBody = { readonly value: unknown } | { readonly text: string };

// Only a few thousand characters of an error are shown, so these limits lose nothing.
const maxMarkupCharacters = 150_000;
const maxParts = 200_000;
const maxLines = 200;
const maxQuotingDepth = 3;

/**
 * Parses an error body by its content, because its Content-Type is often wrong: JSON (also guarded, quoted, in lines, in a
 * callback or in events), XML, HTML (converted to text), a form, or plain text.
 */
export function parseErrorBody(body: string, depth = maxQuotingDepth): ErrorBody {
  const text = withoutGuard(body.trim());
  const first = text[0];
  if (first === '<') return parseMarkup(text.slice(0, maxMarkupCharacters), depth);
  const value = jsonIn(text) ?? jsonLines(text) ?? callbackIn(text) ?? eventsIn(text) ?? formIn(text);
  if (value === undefined) return { text };
  return typeof value === 'string' ? quoted(value, depth) : { value };
}

/** The parsed value of a text inside a body that is itself a document; else undefined. */
export function documentIn(text: string): unknown {
  const first = text.trimStart()[0];
  if (first === '{' || first === '[') return jsonIn(text.trim());
  if (first !== '<' || !/^\s*<(?:\?xml|!doctype|html|[\w:]+>)/i.test(text.slice(0, 500))) return undefined;
  const body = parseMarkup(text.trim().slice(0, maxMarkupCharacters), 1);
  return 'value' in body ? body.value : body.text;
}

function quoted(text: string, depth: number): ErrorBody {
  return depth > 0 && /^\s*[[{"<]/.test(text) ? parseErrorBody(text, depth - 1) : { text };
}

// A prefix that keeps a page of another origin from running the reply as a script.
function withoutGuard(text: string): string {
  return text.replace(/^(?:\)\]\}'?,?|while\s?\(1\);|for\s?\(;;\);)\s*/, '');
}

function jsonIn(text: string): unknown {
  const first = text[0];
  if (first !== '{' && first !== '[' && first !== '"') return undefined;
  if (hasMoreParts(text, maxParts)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function jsonLines(text: string): unknown {
  if (text[0] !== '{' || !text.includes('\n')) return undefined;
  const values = text
    .split('\n', maxLines)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map(jsonIn);
  return values.every((value) => value !== undefined) ? values : undefined;
}

function callbackIn(text: string): unknown {
  const open = text.indexOf('(');
  if (open < 1 || open > 100 || !/^(?:\/\*\*\/\s?)?[\w$.]+\s?$/.test(text.slice(0, open))) return undefined;
  const close = text.lastIndexOf(')');
  return close < open ? undefined : jsonIn(text.slice(open + 1, close).trim());
}

// https://html.spec.whatwg.org/multipage/server-sent-events.html
function eventsIn(text: string): unknown {
  if (!/^(?:data|event|id|retry|): ?/.test(text)) return undefined;
  const values: unknown[] = [];
  for (const line of text.split('\n', maxLines)) {
    if (!line.startsWith('data:')) continue;
    const data = line.slice('data:'.length).trim();
    if (data !== '') values.push(jsonIn(data) ?? data);
  }
  return values.length > 0 ? values : undefined;
}

function formIn(text: string): unknown {
  if (text.length > 20_000 || !/^[\w.%[\]+-]{1,100}=/.test(text) || /[\s{}<>]/.test(text)) return undefined;
  const fields = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const known = fields.get(name);
    if (known === undefined) fields.set(name, value);
    else if (Array.isArray(known)) known.push(value);
    else fields.set(name, [known, value]);
  }
  return Object.fromEntries(fields);
}

function parseMarkup(text: string, depth: number): ErrorBody {
  if (!looksLikeHtml(text)) {
    const value = xmlValue(text);
    return value === null ? { text } : { value: withConditions(value) };
  }
  const words = readableHtml(text, 'plain');
  // Some frameworks embed the JSON error in an HTML page.
  const [start, end] = [words.indexOf('{'), words.lastIndexOf('}')];
  const inside = depth > 0 && start >= 0 && end > start ? jsonIn(words.slice(start, end + 1)) : undefined;
  if (inside === undefined) return { text: words };
  const around = `${words.slice(0, start)}${words.slice(end + 1)}`.trim();
  return { value: around === '' ? inside : [around, inside] };
}

// WebDAV and related protocols name the problem by an empty element: https://www.rfc-editor.org/rfc/rfc4918#section-16
function withConditions(value: XmlValue): unknown {
  if (!isObject(value) || !isObject(value['error'])) return value;
  const conditions = Object.entries(value['error'])
    .filter(([, inner]) => inner === '')
    .map(([name]) => name);
  return conditions.length === 0
    ? value
    : { ...value, error: { ...value['error'], code: conditions.join(', ') } };
}
