import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { repliesErrors } from '../domain/error-messages/replies.ts';
import { HandrailError } from '../domain/errors.ts';
import type { Server } from '../domain/server.ts';
import { isObject } from '../lib/json/plain-object.ts';
import { mask } from '../lib/secrets/mask-secrets.ts';
import { estimateTokens, tokenBound } from '../lib/text/token-bound.ts';
import { sizeText } from '../lib/text/amounts.ts';
import type { TokenCounter } from '../listing/tokens/token-counter.ts';
import type { Call, CallTrace, FittedReply, Outcome, ReadReply } from '../pipeline/call.ts';
import type { Content, Output, WholeReply } from '../pipeline/reply/reply.ts';
import { keptFileOutput, keptUri, timeText } from '../pipeline/reply/kept-file.ts';
import { wrapUntrusted } from '../pipeline/reply/untrusted-text.ts';
import { type KeptPlace, type KeptReplies, sha256Of } from './kept-replies.ts';
import type { TextSummary } from './reading/summarize-text.ts';
import { previewText } from './reading/preview.ts';
import type { FileLinks } from './files/file-links.ts';
import { PartError } from './reading/part-request.ts';
import { linePlaces, type Places } from './reading/places.ts';
import { runReading, summarizeReply } from './reading/read-in-thread.ts';
import { withStructuredNotes } from '../pipeline/reply/structured-notes.ts';
import { outlineReply } from './outline-reply.ts';

type Done = Extract<Outcome, { readonly kind: 'done' }>;
type Failed = Extract<Outcome, { readonly kind: 'failed' }>;

/** Where a text that a model will read came from. */
export interface ReplyOrigin {
  readonly server: Server;
  readonly callerId: string;
  /** The call that returned it, or the run of the script that made it. */
  readonly callId: string;
  /** The tools it came from: reading more of it requires permission to call all of them. */
  readonly toolIds: readonly string[];
  /** The APIs whose text it contains. */
  readonly apis: string;
  /** Whether it is shown between marks that call it untrusted. */
  readonly isWrapped: boolean;
}

/** Fits what a model reads to its budget; the rest is kept, and can be read in parts. */
export interface ReplyBudget {
  /** The budget for one result that isn't a tool's own, in tokens; 0 means no limit. */
  tokensOn(server: Server): number;
  /** Keeps a complete reply; null if it could not be kept. */
  keepWhole(call: Call, whole: WholeReply): Promise<KeptPlace | null>;
  /** What a model reads of a text that isn't a tool's own reply, such as the result of a script. */
  fitText(origin: ReplyOrigin, text: string, mediaType: string): Promise<readonly Content[]>;
  /** The budget for one reply on this server, in tokens; 0 means no limit. */
  tokensFor(call: Pick<Call, 'server' | 'tool'>): number;
  /** Whether replies of a server are cut, unless a tool says otherwise. */
  cutsOn(server: Server): boolean;
  /** The outcome as a model may read it: immediately and unchanged if it fits. */
  fit(trace: Pick<CallTrace, 'call' | 'outcome'>, select?: string): FittedReply | Promise<FittedReply>;
}

// The cost of an image depends on its dimensions, not on its bytes.
const maxImageBytes = 1024 * 1024;
// A text with more bytes per allowed token than this is too long, whatever it contains.
const maxBytesPerToken = 8;
const fixedWords = 460;
const shapeWords = 1_500;
// Left for advice after an error, and a note about the rest of what the API sent.
const errorShare = 0.8;
const wordsAboutRest = 150;

export function createReplyBudget(options: {
  readonly kept: KeptReplies;
  readonly links: FileLinks;
  readonly counter: Pick<TokenCounter, 'count'>;
  readonly maxTokens: number;
  readonly log: Logger;
  /** Called for every reply that was cut. */
  readonly onCut?: (tokensBefore: number, tokensAfter: number) => void;
}): ReplyBudget {
  const { kept, counter, log } = options;

  function tokensFor({ server, tool }: Pick<Call, 'server' | 'tool'>): number {
    return tool.tool.reply.maxTokens ?? tokensOn(server);
  }

  function tokensOn(server: Server): number {
    return server.replyMaxTokens ?? options.maxTokens;
  }

  async function fitLarger(call: Call, outcome: Done, maxTokens: number, bytes: number): Promise<Outcome> {
    const { output } = outcome;
    if (bytes <= maxTokens * maxBytesPerToken && (await countOf(output)) <= maxTokens) return outcome;
    // Reading a long reply took time, and so will keeping it: other work runs in between.
    await nextTurn();
    return { ...outcome, output: await handleForm(call, output, maxTokens, bytes) };
  }

  async function countOf(output: Output): Promise<number> {
    try {
      const counts = await counter.count(textsOf(output));
      return counts.reduce((sum, count) => sum + count, 0);
    } catch (error) {
      log.warn({ err: error }, 'could not count the tokens of a reply');
      return Infinity;
    }
  }

  async function handleForm(call: Call, output: Output, maxTokens: number, bytes: number): Promise<Output> {
    const whole = wholeOf(output);
    const form = await shortForm(originOf(call), whole, maxTokens);
    const notes = output.content.slice(1).filter((part) => part.type === 'text' && isShort(part.text));
    const shownNotes = whole.kind === 'text' ? notes : [];
    const after = form.content.concat(shownNotes);
    options.onCut?.(Math.ceil(bytes / 4), Math.ceil(bytesOf({ ...output, content: after }) / 4));
    const structuredText = withStructuredNotes(form.structuredText, shownNotes.map(textIn));
    return { ...output, content: after, structuredText };
  }

  async function shortForm(origin: ReplyOrigin, whole: WholeReply, maxTokens: number): Promise<HandleForm> {
    const room = Math.max(0, maxTokens - fixedWords);
    const about = whole.kind === 'text' ? await summarizeReply(origin.callerId, whole.text, room) : null;
    const place = await keep(origin, whole, about?.places ?? null);
    return describe(origin, whole, place, about);
  }

  async function fitText(origin: ReplyOrigin, text: string, mediaType: string): Promise<readonly Content[]> {
    const maxTokens = tokensOn(origin.server);
    const shown = origin.isWrapped ? wrapUntrusted(text, origin.apis) : text;
    const output: Output = { content: [{ type: 'text', text: shown }], structuredText: null };
    const fits =
      maxTokens === 0 ||
      surelyFits(output, maxTokens) ||
      (bytesOf(output) <= maxTokens * maxBytesPerToken &&
        (boundOf(output) <= maxTokens || (await countOf(output)) <= maxTokens));
    if (fits) return output.content;
    const whole: WholeReply = { kind: 'text', text, mediaType, name: 'result.json' };
    const { content } = await shortForm(origin, whole, maxTokens);
    options.onCut?.(
      Math.ceil(bytesOf(output) / 4),
      Math.ceil(bytesOf({ content, structuredText: null }) / 4),
    );
    return content;
  }

  async function keep(
    origin: ReplyOrigin,
    whole: WholeReply,
    places: Places | null = null,
  ): Promise<PlaceWithLink | null> {
    if (whole.kind === 'kept') return whole.file;
    const content = whole.kind === 'text' ? Buffer.from(whole.text, 'utf8') : Buffer.from(whole.bytes);
    const head = {
      serverId: origin.server.id,
      toolId: origin.toolIds.join(' '),
      callId: origin.callId,
      apiSlug: origin.apis,
      wrapped: origin.isWrapped && whole.kind === 'text',
      kind: whole.kind,
      mediaType: whole.mediaType,
      name: whole.name,
      sha256: sha256Of(content),
      ...(places !== null && { places }),
    };
    try {
      const place = await kept.keep(origin.callerId, head, content);
      return place && { ...place, link: options.links.make('download', place.handle, place.expiresAtMs) };
    } catch (error) {
      // The call has already happened: its reply matters more than the part that could not be kept.
      log.error({ err: error, callId: origin.callId }, 'could not keep a reply');
      return null;
    }
  }

  /**
   * The selected part of the reply; if the expression doesn't fit the reply, the whole reply is kept for
   * reading.
   */
  async function fitSelected(call: Call, outcome: Done, select: string): Promise<Outcome> {
    const whole = wholeOf(outcome.output);
    try {
      if (whole.kind !== 'text') throw new PartError('the reply is a file');
      const { text } = await runReading(call.caller.id, { kind: 'select', text: whole.text, select });
      const output = selectedOutput(call, outcome.output, text);
      const note = isNothing(text) && !isNothing(whole.text) ? await nothingSelected(call, whole.text) : null;
      const selected = {
        ...outcome,
        output: note === null ? output : { ...output, content: [...output.content, note] },
      };
      return (await fitDone(call, selected)).outcome;
    } catch (error) {
      if (!(error instanceof PartError)) throw error;
      const place = await keep(originOf(call), whole);
      const whereKept =
        place === null
          ? 'It could not be kept.'
          : `Its reply is kept: read it with read_reply({"handle":"${place.handle}"}).`;
      return {
        kind: 'failed',
        error: repliesErrors.nothingSelected(
          { status: outcome.status, reason: error.message.replace(/\.$/, ''), kept: whereKept },
          { retry: 'never' },
        ),
      };
    }
  }

  /** What a model reads after an expression that matched nothing: what there would have been to match. */
  async function nothingSelected(call: Call, text: string): Promise<Content> {
    const about = await summarizeReply(call.caller.id, text, shapeWords);
    const { isWrapped, apis } = originOf(call);
    const shape = about?.shape === undefined ? '' : JSON.stringify(about.shape);
    const shown =
      shape === '' ? '' : ` Shape of the reply: ${isWrapped ? wrapUntrusted(shape, apis) : shape}`;
    return { type: 'text', text: `[select matched nothing in the reply.${shown}]` };
  }

  const fit: ReplyBudget['fit'] = ({ call, outcome }, select) => {
    if (outcome.kind === 'failed') return unread(fitError(call, outcome));
    if (outcome.kind !== 'done') return { outcome, read: null };
    return select === undefined
      ? fitDone(call, outcome)
      : asRead(outcome, fitSelected(call, outcome, select));
  };

  function fitDone(call: Call, outcome: Done): FittedReply | Promise<FittedReply> {
    return outcome.output.content[0]?.type === 'text' ? fitWords(call, outcome) : fitFile(call, outcome);
  }

  /** A file is kept and described; an image that a model can view is also shown. */
  async function fitFile(call: Call, outcome: Done): Promise<FittedReply> {
    const { output } = outcome;
    const whole = wholeOf(output);
    const place = whole.kind === 'bytes' ? await keep(originOf(call), whole) : null;
    if (whole.kind !== 'bytes' || place === null) return fitWords(call, outcome);
    const { name, mediaType, bytes } = whole;
    const file = { name, mediaType, bytes: bytes.byteLength, sha256: sha256Of(bytes), ...place };
    const [first, , ...notes] = output.content;
    const shown = first?.type === 'image' && first.data.length <= maxImageBytes ? [first] : [];
    const shownFile = keptFileOutput(file, shown);
    const fitted = {
      ...outcome,
      output: {
        ...output,
        ...shownFile,
        content: [...shownFile.content, ...notes],
        structuredText:
          shownFile.structuredText && withStructuredNotes(shownFile.structuredText, notes.map(textIn)),
      },
    };
    return { outcome: fitted, read: null };
  }

  function fitWords(call: Call, outcome: Done): FittedReply | Promise<FittedReply> {
    const maxTokens = tokensFor(call);
    const { output } = outcome;
    if (maxTokens === 0 || surelyFits(output, maxTokens)) return { outcome, read: null };
    const bytes = bytesOf(output);
    if (bytes <= maxTokens * maxBytesPerToken && boundOf(output) <= maxTokens) return { outcome, read: null };
    return asRead(outcome, fitLarger(call, outcome, maxTokens, bytes));
  }

  /** An error is cut to its first and last lines; if it contained only a part, the rest is kept. */
  function fitError(call: Call, outcome: Failed): Outcome | Promise<Outcome> {
    const maxTokens = tokensFor(call);
    if (maxTokens === 0) return outcome;
    const { error, whole } = outcome;
    if (whole !== undefined) return withWhole(call, shorterError(error, maxTokens - wordsAboutRest), whole());
    const shorter = shorterError(error, maxTokens);
    return shorter === error ? outcome : { kind: 'failed', error: shorter };
  }

  async function withWhole(call: Call, error: HandrailError, whole: WholeReply): Promise<Outcome> {
    const place = await keep(
      originOf(call),
      whole,
      whole.kind === 'text' ? await placesIn(call.caller.id, whole.text) : null,
    );
    if (place === null) return { kind: 'failed', error };
    const words = `Everything the API sent, ${sizeText(sizeOf(whole))} of ${whole.mediaType}, is kept as ${place.handle} until ${new Date(place.expiresAtMs).toISOString()}: read_reply reads parts of it.`;
    return { kind: 'failed', error: sameError(error, `${error.message}\n${words}`) };
  }

  async function placesIn(caller: string, text: string): Promise<Places | null> {
    try {
      return await runReading(caller, { kind: 'places', text });
    } catch (thrown) {
      // They are found when someone reads it.
      if (thrown instanceof PartError) return null;
      throw thrown;
    }
  }

  return {
    tokensFor,
    tokensOn,
    cutsOn: (server) => tokensOn(server) > 0,
    fit,
    fitText,
    keepWhole: (call, whole) => keep(originOf(call), whole),
  };
}

async function asRead(whole: Done, fitting: Promise<Outcome>): Promise<FittedReply> {
  const outcome = await fitting;
  return { outcome, read: outcome === whole ? null : readReply(outcome) };
}

/** An outcome that is recorded unchanged. */
function unread(outcome: Outcome | Promise<Outcome>): FittedReply | Promise<FittedReply> {
  return outcome instanceof Promise
    ? outcome.then((fitted) => ({ outcome: fitted, read: null }))
    : { outcome, read: null };
}

function originOf({ id, server, caller, tool }: Call): ReplyOrigin {
  return {
    server,
    callerId: caller.id,
    callId: id,
    // Reading more of it requires permission to call whatever it came from.
    toolIds: [tool.tool.id, ...(tool.script?.toolIds ?? [])],
    apis: tool.api.slug,
    isWrapped: tool.tool.reply.wrapUntrusted === true,
  };
}

function shorterError(error: HandrailError, maxTokens: number): HandrailError {
  const { message } = error;
  if (message.length * 3 <= maxTokens || tokenBound(message) <= maxTokens) return error;
  return sameError(
    error,
    previewText(message, linePlaces(message).total, Math.floor(maxTokens * errorShare)).text,
  );
}

function sameError(error: HandrailError, message: string): HandrailError {
  return new HandrailError(error.code, message, error.details, { cause: error });
}

/** The size of a complete reply in bytes. */
export function sizeOf(whole: WholeReply): number {
  switch (whole.kind) {
    case 'text':
      return Buffer.byteLength(whole.text);
    case 'bytes':
      return whole.bytes.byteLength;
    case 'kept':
      return whole.file.bytes;
  }
}

function isNothing(text: string): boolean {
  return text.length < 100 && ['', 'null', '[]', '{}'].includes(text.replace(/\s/g, ''));
}

function selectedOutput(call: Call, output: Output, text: string): Output {
  const { reply } = call.tool.tool;
  const shown = reply.wrapUntrusted === true ? wrapUntrusted(text, call.tool.api.slug) : text;
  return {
    content: [{ type: 'text', text: shown }, ...output.content.slice(1)],
    structuredText: null,
    whole: () => ({ kind: 'text', text, mediaType: 'application/json', name: wholeOf(output).name }),
  };
}

function wholeOf({ whole, content }: Output): WholeReply {
  if (whole !== undefined) return whole();
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  return { kind: 'text', text, mediaType: 'text/plain', name: 'reply.txt' };
}

/** Where something is kept, and where people can download it. */
interface PlaceWithLink extends KeptPlace {
  readonly link: ReturnType<FileLinks['make']>;
}

interface HandleForm {
  readonly content: readonly Content[];
  readonly structuredText: string;
}

/** How to read records that are inside an object one by one, since the object's own parts are lines. */
function countedIn(about: TextSummary | null): string {
  return about?.recordsIn === undefined
    ? ''
    : ` With select ${about.recordsIn}, offset and limit count its records.`;
}

/** The description that a model gets instead of a long reply. */
function describe(
  origin: ReplyOrigin,
  whole: WholeReply,
  place: PlaceWithLink | null,
  about: TextSummary | null,
): HandleForm {
  const wrap = (text: string) => (origin.isWrapped ? wrapUntrusted(text, origin.apis) : text);
  const bytes = sizeOf(whole);
  const counted = about === null ? '' : ` with ${about.records.toLocaleString('en')} ${about.unit}`;
  const words = [
    `The reply is ${sizeText(bytes)} of ${whole.mediaType}${counted}: too much to show at once.`,
    place === null
      ? 'It could not be kept: use other arguments to get less.'
      : `It is kept as ${place.handle} until ${timeText(place.expiresAtMs)}: read_reply reads parts of it by select (JMESPath), offset and limit, or search.${countedIn(about)}`,
  ];
  if (place !== null && place.link !== null)
    words.push(`Until ${timeText(place.link.untilMs)} people can download it from ${place.link.url}`);
  if (about?.shape !== undefined) words.push(`Shape: ${wrap(JSON.stringify(about.shape))}`);
  if (about !== null) words.push(`The next text is a preview: ${about.note}.`);
  const content: Content[] = [{ type: 'text', text: words.join('\n') }];
  if (about !== null) content.push({ type: 'text', text: wrap(about.preview) });
  if (place !== null)
    content.push({
      type: 'resource_link',
      uri: keptUri(place.handle),
      name: whole.name,
      mimeType: whole.mediaType,
      size: bytes,
    });
  const structured = {
    handle: place?.handle ?? null,
    // Some clients show this instead of the text, so it says how to continue as well.
    next:
      place === null
        ? 'The reply could not be kept: ask for less by other arguments.'
        : `Read parts of it with read_reply({"handle":"${place.handle}"}), by select, offset and limit, or search.${countedIn(about)}`,
    ...linkIn(place),
    expires: place === null ? null : timeText(place.expiresAtMs),
    type: whole.mediaType,
    bytes,
    records: about?.records ?? null,
    shape: about?.shape ?? null,
    preview: about === null ? null : about.isJson ? (JSON.parse(about.preview) as unknown) : about.preview,
  };
  return { content, structuredText: JSON.stringify(structured) };
}

function linkIn(place: PlaceWithLink | null) {
  return place === null || place.link === null
    ? {}
    : { download: place.link.url, downloadUntil: timeText(place.link.untilMs) };
}

/** What a model reads, for the call record. */
function readReply(outcome: Outcome): ReadReply | null {
  switch (outcome.kind) {
    case 'waiting':
      return null;
    case 'failed':
      return {
        tokens: estimateTokens(outcome.error.message),
        text: withoutKeys(outcome.error.message),
        outline: null,
      };
    case 'done': {
      const { output } = outcome;
      const text = output.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n\n');
      const tokens = textsOf(output).reduce((sum, each) => sum + estimateTokens(each), 0);
      return { tokens, text: withoutKeys(text.trimEnd()), outline: outlineText(output.structuredText) };
    }
  }
}

/** Text without what opens a kept reply: readers of records may have fewer rights than the caller. */
function withoutKeys(words: string): string {
  return words
    .replaceAll(/\breply_[\w-]{20,40}/g, `reply_${mask}`)
    .replaceAll(/\/files\/[\w-]{20,400}/g, `/files/${mask}`);
}

/** What the records of a reply look like, if only its handle was returned. */
function outlineText(structuredText: string | null): string | null {
  const structured: unknown = structuredText === null ? null : JSON.parse(structuredText);
  if (!isObject(structured) || typeof structured['records'] !== 'number') return null;
  const outline = outlineReply(structured['preview'], structured['records']);
  return outline === null ? null : JSON.stringify(outline);
}

function textsOf({ content, structuredText }: Output): string[] {
  const texts = content.map(textIn);
  return structuredText === null ? texts : [...texts, structuredText];
}

function textIn(part: Content): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'resource':
      return part.resource.blob;
    case 'image':
    case 'audio':
      return part.data.length > maxImageBytes ? part.data : '';
    case 'resource_link':
      return '';
  }
}

function surelyFits({ content, structuredText }: Output, maxTokens: number): boolean {
  let length = structuredText === null ? 0 : structuredText.length;
  for (const part of content) length += part.type === 'text' ? part.text.length : textIn(part).length;
  // A UTF-16 unit is at most three bytes, and no token is shorter than one.
  return (
    length * 3 <= maxTokens || (length <= maxTokens && bytesOf({ content, structuredText }) <= maxTokens)
  );
}

function bytesOf(output: Pick<Output, 'content' | 'structuredText'>): number {
  let bytes = output.structuredText === null ? 0 : Buffer.byteLength(output.structuredText);
  for (const part of output.content) bytes += Buffer.byteLength(textIn(part));
  return bytes;
}

function boundOf(output: Output): number {
  return textsOf(output).reduce((sum, text) => sum + tokenBound(text), 0);
}

function isShort(text: string): boolean {
  return text.length <= 300;
}
