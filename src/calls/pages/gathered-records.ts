import { createHash } from 'node:crypto';
import { lettersOf } from '../../domain/pages/guess-pagination.ts';
import { isObject } from '../../lib/json/plain-object.ts';
import { withholding } from '../../lib/secrets/mask-pii.ts';
import type { MaskText } from '../../lib/secrets/mask-secrets.ts';
import { readsStructure } from '../../pipeline/run-call.ts';
import { shapes } from '../../pipeline/reply/shape-reply.ts';
import { structureOf, transformReply } from '../../pipeline/reply/transform.ts';
import type { Call } from '../../pipeline/call.ts';
import type { Output, Reply } from '../../pipeline/reply/reply.ts';
import type { PageFormat } from './formats/page-format.ts';

/** The result of adding the records of a page. */
export interface Added {
  /** Records that were not on an earlier page. */
  readonly fresh: number;
  /** The limit that kept some records from being added. */
  readonly full: 'items' | 'bytes' | null;
}

/**
 * The records of all pages, as written, without repetitions. Lists can shift while they are read, so a record repeats
 * if its ID was on an earlier page, even if the rest of it has changed, or if it is among the first records of a page
 * that match the last of the page before. Other equal records are kept, since they may be distinct. A page that was
 * already received as a whole adds nothing.
 */
export class GatheredRecords {
  readonly texts: string[] = [];
  bytes = 2;
  /** How many were left out as repetitions. */
  repeated = 0;
  readonly #maxItems: number;
  readonly #maxBytes: number;
  readonly #pages = new Set<string>();
  readonly #seen = new Set<string>();
  #areIdsUnique = true;
  #lastPage: readonly string[] = [];

  constructor(maxItems: number, maxBytes: number) {
    this.#maxItems = maxItems;
    this.#maxBytes = maxBytes;
  }

  /** Whether no more records are accepted. */
  get isFull(): boolean {
    return this.texts.length >= this.#maxItems;
  }

  /** Subtracts the records of a page that should not have counted as repeated. */
  forgetRepeated(count: number): void {
    this.repeated -= count;
  }

  /** Adds the records of a page: their values, and how each is written. */
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
      // Two records on one page with the same ID are distinct, so IDs aren't unique in this list.
      if (twin !== undefined && twin !== text) this.#areIdsUnique = false;
      const isKnown =
        this.#seen.has(whole ?? '') ||
        (id !== null && this.#areIdsUnique && this.#seen.has(id)) ||
        twin === text;
      if (at < overlap || isKnown) {
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
    // Applies to later pages only: records that one page has twice are kept twice, unless an ID says otherwise.
    for (const known of [...ofThisPage.keys(), ...wholes]) this.#seen.add(known);
    return { fresh, full };
  }
}

/** How many of the first records of a page are the last of the page before, in the same order. */
function overlapOf(last: readonly string[], texts: readonly string[], records: readonly unknown[]): number {
  // Numbers can be equal by chance.
  if (!records.every((record) => isObject(record) || typeof record === 'string')) return 0;
  for (let length = Math.min(last.length, texts.length, maxOverlap); length > 0; length--) {
    const from = last.length - length;
    let same = 0;
    while (same < length && last[from + same] === texts[same]) same++;
    if (same === length) return length;
  }
  return 0;
}

// Every length is tried, so a longer overlap would take too long.
const maxOverlap = 200;

// Names that always identify a record, and names that usually do.
const idNames = new Set(['id', 'uuid', 'guid']);
const likelyIdNames = new Set(
  'uid,key,slug,sku,iid,href,url,uri,self,objectid,number,code,email,login,username,name'.split(','),
);

/** What a record is recognized by: its ID, if it has one, and its whole text, if it has anything like an ID. */
function identityOf(
  record: unknown,
  text: string,
): { readonly id: string | null; readonly whole: string | null } {
  if (!isObject(record)) return { id: null, whole: null };
  const keys = Object.keys(record);
  const key = keys.find((one) => idNames.has(lettersOf(one)) && isScalar(record[one]));
  if (key !== undefined)
    return { id: JSON.stringify([record['type'] ?? null, record[key]]), whole: digest(text) };
  const isLike = keys.some((one) => likelyIdNames.has(lettersOf(one)) || /(?:_id|Id|ID)$/.test(one));
  return { id: null, whole: isLike ? digest(text) : null };
}

function isScalar(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && value !== '');
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/**
 * The records of all pages as the output of one call: the list itself or, if the operator shapes replies, the shaped
 * first page with all records in its list.
 */
export async function mergePages(
  call: Call,
  format: PageFormat,
  texts: readonly string[],
  maskText: MaskText,
  notes: readonly string[],
): Promise<Output> {
  const { tool } = call;
  const isShaped = shapes(tool.tool.reply);
  const merged = isShaped && format.whole !== null ? format.whole(texts) : format.list(texts);
  const reply = replyOf(merged, format.mediaType);
  const output = await transformReply(call.caller.id, tool, reply, maskText, false);
  const wantsStructure = !isShaped && readsStructure(call) && tool.tool.reply.phrases !== 'redact';
  return {
    ...output,
    content: [...output.content, ...notes.map((text) => ({ type: 'text', text }) as const)],
    structuredText:
      wantsStructure && format.whole !== null
        ? structureOf(tool, withholding(maskText)(format.whole(texts))).text
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
