import { createHash } from 'node:crypto';
import { lettersOf } from '../../domain/pages/guess-pagination.ts';
import { isObject } from '../../lib/json/plain-object.ts';
import { maskTextFor } from '../../lib/secrets/mask-secrets.ts';
import { readsStructure } from '../../pipeline/run-call.ts';
import { shapes } from '../../pipeline/reply/shape-reply.ts';
import { structureOf, transformReply } from '../../pipeline/reply/transform.ts';
import type { Call } from '../../pipeline/call.ts';
import type { Output, Reply } from '../../pipeline/reply/reply.ts';
import type { PageFormat } from './formats/page-format.ts';

/** What became of the records of a page. */
export interface Added {
  /** Records that had not come before. */
  readonly fresh: number;
  /** Whether one of the caps kept some from being taken. */
  readonly full: 'items' | 'bytes' | null;
}

/**
 * The records of all pages, as they are written, each once. A record whose id came on an earlier page is a repetition, whatever
 * else of it has changed, as are the first records of a page that are the last of the one before: lists move while they are
 * read. Others that are alike stay: they may well be two. A page that came before as a whole brings nothing.
 */
export class GatheredRecords {
  readonly texts: string[] = [];
  bytes = 2;
  /** How many were left out because they had come before. */
  repeated = 0;
  readonly #maxItems: number;
  readonly #maxBytes: number;
  readonly #pages = new Set<string>();
  readonly #seen = new Set<string>();
  #idsTellApart = true;
  #lastPage: readonly string[] = [];

  constructor(maxItems: number, maxBytes: number) {
    this.#maxItems = maxItems;
    this.#maxBytes = maxBytes;
  }

  /** Whether no further record is taken. */
  get isFull(): boolean {
    return this.texts.length >= this.#maxItems;
  }

  /** Takes back that the records of a page were counted as repeated. */
  forgetRepeated(count: number): void {
    this.repeated -= count;
  }

  /** Takes the records of a page: what they are, and how each is written. */
  add(records: readonly unknown[], texts: readonly string[]): Added {
    const page = digest(texts.join('\n'));
    if (texts.length > 0 && this.#pages.has(page)) {
      this.repeated += texts.length;
      return { fresh: 0, full: null };
    }
    this.#pages.add(page);
    const overlap = overlapOf(this.#lastPage, texts, records);
    this.#lastPage = texts;
    const wholes: string[] = [];
    const ofThisPage = new Map<string, string>();
    let fresh = 0;
    let full: Added['full'] = null;
    for (const [at, text] of texts.entries()) {
      const { id, whole } = identityOf(records[at], text);
      const twin = id === null ? undefined : ofThisPage.get(id);
      // Two records of one page with one id are two: then an id is no identity here.
      if (twin !== undefined && twin !== text) this.#idsTellApart = false;
      const came =
        this.#seen.has(whole ?? '') ||
        (id !== null && this.#idsTellApart && this.#seen.has(id)) ||
        twin === text;
      if (at < overlap || came) {
        this.repeated++;
        continue;
      }
      if (this.texts.length >= this.#maxItems) full = 'items';
      else if (this.bytes + Buffer.byteLength(text) + 1 > this.#maxBytes) full = 'bytes';
      if (full !== null) break;
      if (id !== null) ofThisPage.set(id, text);
      if (whole !== null) wholes.push(whole);
      this.texts.push(text);
      this.bytes += Buffer.byteLength(text) + 1;
      fresh++;
    }
    // Known only to later pages: what one page has twice, it means twice, unless an id says otherwise.
    for (const known of [...ofThisPage.keys(), ...wholes]) this.#seen.add(known);
    return { fresh, full };
  }
}

/** How many of the first records of a page are the last of the one before, in the same order. */
function overlapOf(last: readonly string[], texts: readonly string[], records: readonly unknown[]): number {
  // Numbers are alike by chance.
  if (!records.every((record) => isObject(record) || typeof record === 'string')) return 0;
  for (let length = Math.min(last.length, texts.length, maxOverlap); length > 0; length--) {
    const from = last.length - length;
    let same = 0;
    while (same < length && last[from + same] === texts[same]) same++;
    if (same === length) return length;
  }
  return 0;
}

// Each length is tried, so that a longer one would take too long.
const maxOverlap = 200;

// A name that means one thing among all of its kind, and names that nearly do.
const surelyIds = new Set(['id', 'uuid', 'guid']);
const perhapsIds = new Set(
  'uid,key,slug,sku,iid,href,url,uri,self,objectid,number,code,email,login,username,name'.split(','),
);

/** What a record is known again by: its id, where it has one, and all of it, where it has anything like an id. */
function identityOf(
  record: unknown,
  text: string,
): { readonly id: string | null; readonly whole: string | null } {
  if (!isObject(record)) return { id: null, whole: null };
  const keys = Object.keys(record);
  const key = keys.find((one) => surelyIds.has(lettersOf(one)) && isScalar(record[one]));
  if (key !== undefined)
    return { id: JSON.stringify([record['type'] ?? null, record[key]]), whole: digest(text) };
  const isLike = keys.some((one) => perhapsIds.has(lettersOf(one)) || /(?:_id|Id|ID)$/.test(one));
  return { id: null, whole: isLike ? digest(text) : null };
}

function isScalar(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && value !== '');
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/**
 * The records of all pages as the output of one call: the list itself; where the operator shapes replies, what that makes of
 * the first page with all records in its list.
 */
export async function mergePages(
  call: Call,
  format: PageFormat,
  texts: readonly string[],
  secrets: readonly string[],
  notes: readonly string[],
): Promise<Output> {
  const { tool } = call;
  const maskSecrets = maskTextFor(secrets);
  const isShaped = shapes(tool.tool.reply);
  const merged = isShaped && format.whole !== null ? format.whole(texts) : format.list(texts);
  const reply = replyOf(merged, format.mediaType);
  const output = await transformReply(call.caller.id, tool, reply, maskSecrets, false);
  const wantsStructure = !isShaped && readsStructure(call) && tool.tool.reply.phrases !== 'redact';
  return {
    ...output,
    content: [...output.content, ...notes.map((text) => ({ type: 'text', text }) as const)],
    structuredText:
      wantsStructure && format.whole !== null
        ? structureOf(tool, maskSecrets(format.whole(texts))).text
        : null,
  };
}

function replyOf(text: string, mediaType: string): Reply {
  return {
    status: 200,
    headers: { 'content-type': mediaType },
    body: Buffer.from(text),
    tries: 1,
    cached: false,
    upstreamMs: 0,
  };
}
