import { createHash } from 'node:crypto';
import { hasMoreParts } from '../../lib/json/strict/count-parts.ts';
import { keepText, type MaskText } from '../../lib/secrets/mask-secrets.ts';
import { isPlainAscii } from '../../lib/text/plain-ascii.ts';
import { OverBudget, WorkBudget } from '../../lib/work-budget.ts';
import type { CompiledTool } from '../compiled-tool.ts';
import type { Content, Output, Reply, WholeReply } from './reply.ts';
import { textAsItCame } from './raw-reply.ts';
import { cleanText } from './clean-text.ts';
import { redirectRefused, upstreamRefused } from './errors/upstream-refused.ts';
import { fileContent, nameOf } from './file-content.ts';
import { asBuffer, contentTypeOf, decodeText, type MediaType } from './media-type.ts';
import { tellingHeaders } from './reply-headers.ts';
import { inlineLimits } from './reply-thread.ts';
import { rewriteInThread } from './rewrite-in-thread.ts';
import { type Rewriting, rewriteText } from './rewrite-text.ts';
import { type ShapedText, shapes } from './shape-reply.ts';
import { protectText, redactText, removePhrases } from './untrusted-text.ts';

/**
 * Turns a reply into the tool's output, or throws what the model should know when the upstream refused. Pure but for
 * the random boundary of untrusted text. Throws `OverBudget` when it takes more than may be done at once. `maskSecrets` takes out what an upstream echoes of its credential;
 * `withStructure` says whether anybody reads structured content.
 */
export function transform(
  tool: CompiledTool,
  reply: Reply,
  maskSecrets: MaskText = keepText,
  withStructure = true,
): Output {
  if (reply.status >= 400) throw upstreamRefused(tool, reply, maskSecrets);
  if (reply.status >= 300 && reply.status !== 304) throw redirectRefused(tool, reply, maskSecrets);
  const type = contentTypeOf(reply);
  const output = type.text
    ? readText({ tool, reply, type, maskSecrets, withStructure })
    : fileOutput(tool, reply, type, maskSecrets);
  return withTelling(tool, reply, output, maskSecrets);
}

// Rewriting a text takes it apart, which holds everyone else up; a thread for it takes some ten milliseconds to start.
const longBytes = 512 * 1024;

/** `transform` for any reply: at once, but in a thread when its text is long and not shown as it is, or takes much work. */
export function transformReply(
  caller: string,
  tool: CompiledTool,
  reply: Reply,
  maskSecrets: MaskText,
  withStructure: boolean,
): Output | Promise<Output> {
  if (!isLongToRewrite(tool, reply)) {
    try {
      return transform(tool, reply, maskSecrets, withStructure);
    } catch (error) {
      if (!(error instanceof OverBudget)) throw error;
    }
  }
  return transformLong(caller, tool, reply, maskSecrets, withStructure);
}

function isLongToRewrite(tool: CompiledTool, reply: Reply): boolean {
  if (reply.body.length <= longBytes || reply.status >= 300) return false;
  const { reply: mapping } = tool.tool;
  const type = contentTypeOf(reply);
  return type.text && (shapes(mapping) || (type.html && mapping.html !== 'source'));
}

async function transformLong(
  caller: string,
  tool: CompiledTool,
  reply: Reply,
  maskSecrets: MaskText,
  withStructure: boolean,
): Promise<Output> {
  const type = contentTypeOf(reply);
  const reading = { tool, reply, type, maskSecrets, withStructure };
  const received = maskedText(reading);
  const { text } = received;
  const mapping = rewriting(tool, type, text);
  const output =
    mapping === null
      ? textOutput(reading, received)
      : rewritten(reading, text, await rewriteInThread(caller, mapping, text));
  return withTelling(tool, reply, output, maskSecrets);
}

/** A text on its way to a model. */
interface Reading {
  readonly tool: CompiledTool;
  readonly reply: Reply;
  readonly type: MediaType;
  readonly maskSecrets: MaskText;
  readonly withStructure: boolean;
}

function readText(reading: Reading): Output {
  const { maskSecrets } = reading;
  if (!isShownAsItCame(reading)) return textOutput(reading, maskedText(reading));
  if (maskSecrets === keepText) return outputAsItCame(reading, () => receivedText(reading));
  const received = receivedText(reading);
  const masked = maskSecrets(received.text);
  return masked === received.text
    ? outputAsItCame(reading, () => received)
    : textOutput(reading, { ...received, text: masked });
}

/** A reply's text. */
interface ReceivedText {
  readonly text: string;
  /** Whether nothing in it goes unseen; masks are seen as well. */
  readonly isSeen: boolean;
}

function receivedText({ reply, type }: Reading): ReceivedText {
  return type.charset === null && isPlainAscii(reply.body)
    ? { text: asBuffer(reply.body).toString('latin1'), isSeen: true }
    : { text: decodeText(reply, type), isSeen: false };
}

function maskedText(reading: Reading): ReceivedText {
  const { text, isSeen } = receivedText(reading);
  return { text: reading.maskSecrets(text), isSeen };
}

function seenText({ text, isSeen }: ReceivedText): string {
  return isSeen ? text : cleanText(text);
}

// To write a shorter one from its bytes saves nothing.
const fewBytes = 4_096;

/** Whether nothing is to be done to a text but to mask what is secret in it and to take out what nobody sees. */
function isShownAsItCame({ tool, reply, type, withStructure }: Reading): boolean {
  const { reply: mapping } = tool.tool;
  return (
    reply.body.length >= fewBytes &&
    !withStructure &&
    type.charset === null &&
    !type.html &&
    reply.cut === undefined &&
    mapping.wrapUntrusted !== true &&
    (mapping.phrases ?? 'off') === 'off' &&
    !shapes(mapping)
  );
}

function outputAsItCame(reading: Reading, read: () => ReceivedText): Output {
  const part = textAsItCame(asBuffer(reading.reply.body), () => seenText(read()));
  return {
    content: [part],
    structuredText: null,
    whole: wholeOf(reading, () => part.text, reading.type.name || 'text/plain'),
  };
}

function textOutput(reading: Reading, received: ReceivedText): Output {
  const { tool, reply, type } = reading;
  const { text } = received;
  const mapping = rewriting(tool, type, text);
  if (mapping !== null)
    return rewritten(reading, text, rewriteText(mapping, text, new WorkBudget(inlineLimits)));
  const { text: structured, refusal } =
    reading.withStructure && mayHaveStructure(type, text) ? structureOf(tool, text) : unstructured;
  const seen = seenText(received);
  const { content, structuredText } = withNotes(tidy(tool, seen, structured), notesOf(reply));
  const whole = wholeOf(reading, () => seen, type.name || 'text/plain');
  return refusal === null
    ? { content, structuredText, whole }
    : { content, structuredText, whole, note: `structured content left out: ${refusal}` };
}

function wholeOf(
  { tool, reply, maskSecrets }: Reading,
  seen: () => string,
  mediaType: string,
): () => WholeReply {
  return () => ({
    kind: 'text',
    text: redactText(tool, seen()),
    mediaType,
    name: nameOf(tool, reply, mediaType, maskSecrets),
  });
}

function fileOutput(tool: CompiledTool, reply: Reply, type: MediaType, maskSecrets: MaskText): Output {
  const named = () => ({ mediaType: type.name, name: nameOf(tool, reply, type.name, maskSecrets) });
  return {
    content: fileContent(tool, reply, type, maskSecrets),
    structuredText: null,
    file: () => ({
      ...named(),
      bytes: reply.body.length,
      sha256: createHash('sha256').update(reply.body).digest('hex'),
    }),
    whole: () => ({ kind: 'bytes', bytes: reply.body, ...named() }),
  };
}

// Checking makes values of all of it.
const maxParts = 300_000;

/** The structured content of a text that is the reply, or why it has none. */
export function structureOf(tool: CompiledTool, text: string): ReturnType<CompiledTool['structure']> {
  return hasMoreParts(text, maxParts)
    ? { text: null, refusal: 'the reply has too many parts to be checked' }
    : tool.structure(text);
}

/** How a tool wants this text rewritten; null when it is shown as it is. */
function rewriting(tool: CompiledTool, type: MediaType, text: string): Rewriting | null {
  const { reply: mapping } = tool.tool;
  const isPage = type.html && mapping.html !== 'source' && isMarkup(text);
  return isPage || shapes(mapping) ? { ...mapping, isPage } : null;
}

/**
 * Text that is rewritten as the tool asks for it has no structure any more. What the operator leaves out of replies is
 * left out for good; markup is only made readable.
 */
function rewritten(reading: Reading, text: string, shaped: ShapedText): Output {
  const { tool, reply, type } = reading;
  const seen = cleanText(shaped.text);
  const output = withNotes(tidy(tool, seen, null), [...shaped.notes, ...notesOf(reply)]);
  const whole = shapes(tool.tool.reply)
    ? wholeOf(reading, () => seen, 'text/plain')
    : wholeOf(reading, () => cleanText(text), type.name);
  return { ...output, whole };
}

function notesOf(reply: Reply): readonly string[] {
  return reply.cut === undefined ? [] : [cutNote(reply.cut)];
}

const unstructured = { text: null, refusal: null };

// Some send JSON under another name.
function mayHaveStructure(type: MediaType, text: string): boolean {
  return type.json ? text !== '' : text.startsWith('{') || text.startsWith('[');
}

function withNotes(output: Output, notes: readonly string[]): Output {
  if (notes.length === 0) return output;
  return {
    ...output,
    content: [...output.content, ...notes.map((text): Content => ({ type: 'text', text }))],
  };
}

// JSON and plain text come under this type as well.
function isMarkup(text: string): boolean {
  return text.slice(0, 1_000).trimStart().startsWith('<');
}

function cutNote(cut: NonNullable<Reply['cut']>): string {
  return cut === 'time'
    ? '[The API was still sending when the time for this call was over: this is what had come until then.]'
    : '[The API sent more than this call may take: this is the beginning.]';
}

/** Adds what the headers tell. */
export function withTelling(tool: CompiledTool, reply: Reply, output: Output, maskSecrets: MaskText): Output {
  const told = tellingHeaders(reply.headers);
  return told === null ? output : withHeaders(tool, reply.status, output, maskSecrets(told.join('; ')));
}

/** Adds what the headers tell; where there is no body, in its place. */
function withHeaders(tool: CompiledTool, status: number, output: Output, told: string): Output {
  const [first] = output.content;
  const { text } = protectText(tool, cleanText(told));
  if (output.content.length === 1 && first?.type === 'text' && first.text === '') {
    const said = `The call succeeded (HTTP ${status}) and the API sent no body, but these headers: ${text}`;
    return { ...output, content: [{ type: 'text', text: said }] };
  }
  return withNotes(output, [`Headers of the reply: ${text}`]);
}

/** Makes upstream text safe to hand to a model, as far as the tool asks for it; what is done is said. */
function tidy(tool: CompiledTool, clean: string, structured: string | null): Output {
  const { text, note } = protectText(tool, clean);
  if (note === null) return { content: [{ type: 'text', text }], structuredText: structured };
  return {
    content: [
      { type: 'text', text },
      { type: 'text', text: note },
    ],
    structuredText:
      tool.tool.reply.phrases === 'redact' ? structured && removePhrases(structured) : structured,
  };
}
