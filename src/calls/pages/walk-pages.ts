import { callsErrors } from '../../domain/error-messages/calls.ts';
import { HandrailError } from '../../domain/errors.ts';
import type { Pagination } from '../../domain/operation.ts';
import { kindOf } from '../../domain/tool.ts';
import { isObject, type PlainObject } from '../../lib/json/plain-object.ts';
import { createPace } from '../../lib/timing/pace.ts';
import { maskLeaving, openPiiLog } from '../../pipeline/pii-log.ts';
import { secretsOf } from '../../pipeline/request/secrets-of.ts';
import type { Call, Outcome } from '../../pipeline/call.ts';
import type { Reply } from '../../pipeline/reply/reply.ts';
import type { SignedRequest } from '../../pipeline/request/signed-request.ts';
import type { RunPart, PartResult } from '../run-part.ts';
import { findFollowing, type Following } from './find-next.ts';
import { openPages } from './formats/open-pages.ts';
import { type Page, type PageFormat, readPaced } from './formats/page-format.ts';
import { GatheredRecords, mergePages } from './gathered-records.ts';
import { firstStep, nextStep, type PageStep, pagingOf } from './next-step.ts';
import { readAddress } from './page-address.ts';
import { endNotes, type WalkEnd } from './walk-end.ts';

/** The limits for gathering pages in one call. */
export interface PageCaps {
  readonly pages: number;
  readonly items: number;
  readonly bytes: number;
  readonly ms: number;
}

// Lists that shift while they are read can repeat a page; an API that keeps repeating is stopped.
const maxRepeatedPages = 2;
const maxEmptyPages = 20;
// Statuses that APIs answer with when asked for a page past the last.
const pastEndStatuses = new Set([400, 404, 410, 416, 422]);

// An empty body past the last page.
const emptyPage: Page = { values: [], texts: () => [], around: undefined };

type Done = Extract<Outcome, { readonly kind: 'done' }>;

/** One call that gathers every page of a list. */
export class PageWalk {
  readonly #call: Call;
  readonly #runPart: RunPart;
  readonly #caps: PageCaps;
  readonly #now: () => number;
  readonly #endsAtMs: number;
  readonly #paging: Pagination | undefined;
  readonly #gathered: GatheredRecords;
  readonly #visited = new Set<string>();
  readonly #secrets = new Set<string>();
  #format: PageFormat | null = null;
  #asked = 0;
  #pages = 0;
  #longestPage = 0;
  #total: number | null = null;
  #reportedPages: number | null = null;
  #repeatedPages = 0;
  #emptyPages = 0;

  constructor(call: Call, runPart: RunPart, caps: PageCaps, now: () => number) {
    this.#call = call;
    this.#runPart = runPart;
    this.#caps = caps;
    this.#now = now;
    this.#endsAtMs = now() + caps.ms;
    this.#paging = pagingOf(call.tool.tool.operation);
    const items = Math.min(caps.items, call.followUp.maxItems ?? Infinity);
    this.#gathered = new GatheredRecords(items, caps.bytes);
  }

  /** The result in a few words, for the record. */
  get summary(): string {
    return `${this.#pages} pages, ${this.#gathered.texts.length} records`;
  }

  // Only scripts make calls that ask for pages on behalf of another call.
  get #isForScript(): boolean {
    return this.#call.parentId !== null;
  }

  /** Walks to the end of the list or to a limit; records gathered before a failing page are kept. */
  async run(): Promise<Outcome> {
    const { arguments: given } = this.#call;
    const args: PlainObject = isObject(given) ? given : {};
    const refusal = whyNotGathered(this.#call, args, this.#paging);
    if (refusal !== null) return { kind: 'failed', error: refusal };
    for (const [name, value] of Object.entries(args)) this.#visited.add(`${name}=${String(value)}`);
    let step = firstStep(args);
    for (;;) {
      const page = await this.#askFor(step);
      const { outcome } = page;
      if (outcome.kind !== 'done') {
        if (this.#format === null) return outcome;
        return this.#finish(this.#failedAt(step, outcome));
      }
      const taken = await this.#take(page, outcome, step);
      if ('only' in taken) return taken.only;
      if ('end' in taken) return this.#finish(taken.end);
      step = taken.step;
    }
  }

  async #askFor(step: PageStep): Promise<PartResult> {
    this.#asked++;
    const page = await this.#runPart.same(this.#call, step.arguments, {
      target: step.address,
      endsAtMs: this.#endsAtMs,
      isGathered: true,
    });
    for (const secret of secretsOf(this.#call.tool, page.request)) this.#secrets.add(secret);
    return page;
  }

  /** The records of a page, the first of which determines the format of all; undefined if it has no list. */
  async #read(reply: Reply): Promise<Page | string | undefined> {
    const pace = createPace();
    if (this.#format !== null)
      return reply.body.length === 0 ? emptyPage : readPaced(this.#format.read(reply), pace);
    const opened = await readPaced(openPages(reply, this.#paging?.items), pace);
    this.#format = opened?.format ?? null;
    return opened?.first;
  }

  /** Takes the records of a page; returns what to request next, or why that was all. */
  async #take(
    { reply, request }: PartResult,
    outcome: Done,
    step: PageStep,
  ): Promise<{ readonly step: PageStep } | { readonly end: WalkEnd } | { readonly only: Outcome }> {
    const page = reply === null ? undefined : await this.#read(reply);
    if (page === undefined && this.#isForScript)
      return { only: { kind: 'failed', error: callsErrors.replyWithoutList() } };
    if (page === undefined)
      return { only: withNote(outcome, 'This reply has no list whose pages could be gathered.') };
    if (typeof page === 'string') return { end: { why: 'failed', step, said: page } };
    const { values: records, around } = page;
    const refused = records.length === 0 ? errorsIn(around) : null;
    if (refused !== null) return { end: { why: 'failed', step, said: refused } };

    const { fresh, full } = this.#gathered.add(records, page.texts());
    if (step.mayBeFirst === true && fresh === 0 && full === null)
      this.#gathered.forgetRepeated(records.length);
    else this.#pages++;
    this.#repeatedPages = records.length > 0 && fresh === 0 && full === null ? this.#repeatedPages + 1 : 0;
    this.#emptyPages = records.length === 0 ? this.#emptyPages + 1 : 0;
    const following = findFollowing(around, reply!.headers, this.#paging);
    this.#total ??= following.total ?? null;
    this.#reportedPages = following.pages ?? this.#reportedPages;
    this.#call.followUp.report?.({
      pages: this.#pages,
      records: this.#gathered.texts.length,
      total: this.#total,
    });
    if (full !== null) return { end: { why: full, step } };
    if (this.#repeatedPages >= maxRepeatedPages) return { end: { why: 'repeats' } };
    if (this.#isLast(records.length, following)) return { end: { why: 'end' } };

    const after = nextStep(this.#call.tool.tool.operation, this.#paging, {
      step,
      records,
      following,
      isFirst: this.#asked === 1,
    });
    this.#longestPage = Math.max(this.#longestPage, records.length);
    if ('end' in after) return { end: after.end === 'stated' ? { why: 'end' } : this.#inferredEnd() };
    if ('lost' in after) return { end: { why: 'lost', said: after.lost } };
    const next = this.#located(after.step, request);
    if ('refused' in next) return { end: { why: 'refused', said: next.refused } };
    return this.#mayAsk(next);
  }

  /** Whether a page is the last: shorter than the others, with all of the reported total received. */
  #isLast(length: number, { address, token, more, total }: Following): boolean {
    if (address !== undefined || token !== undefined || more === true || total === undefined) return false;
    const seen = this.#gathered.texts.length + this.#gathered.repeated;
    const asked = this.#paging?.size === undefined ? 0 : sizeAsked(this.#call, this.#paging.size);
    return seen >= total && length < Math.max(this.#longestPage, asked);
  }

  /** The end of a list that doesn't state its end: it is only certain if the way to the next page is known. */
  #inferredEnd(): WalkEnd {
    const { length } = this.#gathered.texts;
    const isCounted = this.#paging?.kind === 'page' || this.#paging?.kind === 'offset';
    const isShort = (this.#total ?? 0) > length || (this.#reportedPages ?? 0) > this.#pages;
    if (!isCounted && isShort) return { why: 'lost', said: 'the reply does not say how to request more' };
    return this.#paging === undefined && this.#asked === 1 && length > 0 ? { why: 'silent' } : { why: 'end' };
  }

  #located(step: PageStep, request: SignedRequest | null): PageStep | { readonly refused: string } {
    if (step.address === null || request === null) return step;
    const read = readAddress(step.address, request.plan, [...this.#secrets]);
    return 'refused' in read ? read : { ...step, address: read.target, key: read.target };
  }

  #mayAsk(step: PageStep): { readonly step: PageStep } | { readonly end: WalkEnd } {
    if (this.#visited.has(step.key)) return { end: { why: 'loop' } };
    this.#visited.add(step.key);
    if (this.#gathered.isFull) return { end: { why: 'items', step } };
    if (this.#asked >= this.#caps.pages) return { end: { why: 'pages', step } };
    if (this.#emptyPages >= maxEmptyPages) return { end: { why: 'empty', step } };
    if (this.#now() >= this.#endsAtMs) return { end: { why: 'time', step } };
    if (this.#call.signal.aborted) return { end: { why: 'gone', step } };
    return { step };
  }

  #failedAt(step: PageStep, outcome: Exclude<Outcome, Done>): WalkEnd {
    if (outcome.kind === 'waiting') return { why: 'failed', step, said: outcome.waiting.message };
    const { code, message, details } = outcome.error;
    const status = details.upstreamStatus;
    const isProbe =
      step.address === null && (this.#paging?.kind === 'page' || this.#paging?.kind === 'offset');
    const isPastEnd =
      (this.#reportedPages !== null && this.#pages >= this.#reportedPages) ||
      this.#gathered.texts.length === this.#total;
    if (isProbe && status !== undefined && (isPastEnd || pastEndStatuses.has(status))) return { why: 'end' };
    if (code === 'upstream_timeout' && this.#now() >= this.#endsAtMs) return { why: 'time', step };
    return { why: 'failed', step, said: message };
  }

  async #finish(end: WalkEnd): Promise<Outcome> {
    const { texts, repeated } = this.#gathered;
    const notes = endNotes(end, {
      records: texts.length,
      repeated,
      pages: this.#pages,
      total: this.#total,
      prefix: this.#call.followUp.prefix,
    });
    // The pages have counted what is in them.
    const mask = maskLeaving([...this.#secrets], openPiiLog(this.#call));
    const output = await mergePages(this.#call, this.#format!, texts, mask, notes);
    // A script gets the records alone, so whatever is missing is reported next to them.
    const isPartial = this.#isForScript && end.why !== 'end';
    return {
      kind: 'done',
      output: isPartial ? { ...output, continuation: notes.join(' ') } : output,
      status: 200,
    };
  }
}

/** The reason that a tool's pages may not be gathered; null if they may be. */
function whyNotGathered(call: Call, args: PlainObject, paging: Pagination | undefined): HandrailError | null {
  const { tool } = call.tool;
  if (tool.operation.pagination === undefined && kindOf(tool) !== 'read')
    return callsErrors.pagesNotReadOnly({ tool: call.toolName, prefix: call.followUp.prefix ?? '' });
  return isMutation(args, paging) ? callsErrors.pagesOfMutation() : null;
}
function isMutation({ query }: PlainObject, paging: Pagination | undefined): boolean {
  return (
    paging?.kind === 'graphql' && typeof query === 'string' && /\bmutation\b/.test(query.slice(0, 20_000))
  );
}

function sizeAsked({ arguments: args, tool }: Call, name: string): number {
  const given = isObject(args) ? args[name] : undefined;
  const preset = tool.tool.operation.parameters.find((each) => each.name === name)?.default;
  const size = Number(given ?? preset ?? 0);
  return Number.isSafeInteger(size) ? size : 0;
}

/** The error in a reply with a success status, as GraphQL and APIs that always answer 200 send it. */
function errorsIn(value: unknown): string | null {
  if (!isObject(value)) return null;
  const { errors, error, ok, success } = value;
  const list = Array.isArray(errors) ? (errors as unknown[]) : [];
  const isRefused = ok === false || success === false;
  const hasError = isObject(error) || (typeof error === 'string' && error !== '') || error === true;
  if (list.length === 0 && !hasError && !isRefused) return null;
  const message = [list[0], error, value].map(messageOf).find((text) => text !== '');
  return `the API answered with ${list.length > 0 ? 'errors' : 'an error'}${message === undefined ? '' : `: ${message}`}`;
}

function messageOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const message = isObject(value) ? (value['message'] ?? value['msg'] ?? value['detail']) : undefined;
  return typeof message === 'string' ? message : '';
}

function withNote(outcome: Done, text: string): Outcome {
  const { output } = outcome;
  return { ...outcome, output: { ...output, content: [...output.content, { type: 'text', text }] } };
}
