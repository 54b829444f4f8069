import { createHash } from 'node:crypto';
import { hasMoreParts } from '../../lib/json/strict/count-parts.ts';
import { keepText, type MaskText } from '../../lib/secrets/mask-secrets.ts';
import { isPlainAscii } from '../../lib/text/plain-ascii.ts';
import { OverBudget, WorkBudget } from '../../lib/work-budget.ts';
import type { CompiledTool } from '../compiled-tool.ts';
import type { Content, Output, Reply, WholeReply } from './reply.ts';
import { rawTextContent } from './raw-reply.ts';
import { cleanText } from './clean-text.ts';
import { redirectError, upstreamStatusError } from './errors/upstream-status-error.ts';
import { fileContent, nameOf } from './file-content.ts';
import { asBuffer, contentTypeOf, decodeText, type MediaType } from './media-type.ts';
import { informativeHeaders } from './reply-headers.ts';
import { inlineLimits } from './reply-thread.ts';
import { rewriteInThread } from './rewrite-in-thread.ts';
import { type Rewriting, rewriteText } from './rewrite-text.ts';
import { type ShapedText, shapes } from './shape-reply.ts';
import { protectText, redactText, removePhrases } from './untrusted-text.ts';

/**
 * Turns a reply into the tool's output, or throws the error for the model if the upstream returned one. Pure except for
 * the random boundary of untrusted text. Throws `OverBudget` if it takes too much work for the main thread. `maskSecrets`
 * removes credentials that the upstream echoes; `withStructure` says whether structured content will be read.
 */
export function transform(
  tool: CompiledTool,
  reply: Reply,
  maskSecrets: MaskText = keepText,
  withStructure = true,
): Output {
  if (reply.status >= 400) throw upstreamStatusError(tool, reply, maskSecrets);
  if (reply.status >= 300 && reply.status !== 304) throw redirectError(tool, reply, maskSecrets);
  const type = contentTypeOf(reply);
  const output = type.text
    ? readText({ tool, reply, type, maskSecrets, withStructure })
    : fileOutput(tool, reply, type, maskSecrets);
  return withHeaderNotes(tool, reply, output, maskSecrets);
}

// Rewriting parses the text, which blocks every other call; a thread takes about ten milliseconds to start.
const longBytes = 512 * 1024;

/** `transform` for any reply: synchronously, or in a thread if a long text must be rewritten or takes too much work. */
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
  return withHeaderNotes(tool, reply, output, maskSecrets);
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
  if (!isShownUnchanged(reading)) return textOutput(reading, maskedText(reading));
  if (maskSecrets === keepText) return unchangedOutput(reading, () => receivedText(reading));
  const received = receivedText(reading);
  const masked = maskSecrets(received.text);
  return masked === received.text
    ? unchangedOutput(reading, () => received)
    : textOutput(reading, { ...received, text: masked });
}

/** A reply's text. */
interface ReceivedText {
  readonly text: string;
  /** Whether it has no invisible characters. */
  readonly isVisible: boolean;
}

function receivedText({ reply, type }: Reading): ReceivedText {
  return type.charset === null && isPlainAscii(reply.body)
    ? { text: asBuffer(reply.body).toString('latin1'), isVisible: true }
    : { text: decodeText(reply, type), isVisible: false };
}

function maskedText(reading: Reading): ReceivedText {
  const { text, isVisible } = receivedText(reading);
  return { text: reading.maskSecrets(text), isVisible };
}

function visibleText({ text, isVisible }: ReceivedText): string {
  return isVisible ? text : cleanText(text);
}

// Passing on raw bytes saves nothing for shorter replies.
const minRawBytes = 4_096;

/** Whether a text needs nothing but masking and the removal of invisible characters. */
function isShownUnchanged({ tool, reply, type, withStructure }: Reading): boolean {
  const { reply: mapping } = tool.tool;
  return (
    reply.body.length >= minRawBytes &&
    !withStructure &&
    type.charset === null &&
    !type.html &&
    reply.cut === undefined &&
    mapping.wrapUntrusted !== true &&
    (mapping.phrases ?? 'off') === 'off' &&
    !shapes(mapping)
  );
}

function unchangedOutput(reading: Reading, read: () => ReceivedText): Output {
  const part = rawTextContent(asBuffer(reading.reply.body), () => visibleText(read()));
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
  const visible = visibleText(received);
  const { content, structuredText } = withNotes(tidy(tool, visible, structured), notesOf(reply));
  const whole = wholeOf(reading, () => visible, type.name || 'text/plain');
  return refusal === null
    ? { content, structuredText, whole }
    : { content, structuredText, whole, note: `structured content left out: ${refusal}` };
}

function wholeOf(
  { tool, reply, maskSecrets }: Reading,
  visible: () => string,
  mediaType: string,
): () => WholeReply {
  return () => ({
    kind: 'text',
    text: redactText(tool, visible()),
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

// The check parses the whole text.
const maxParts = 300_000;

/** The structured content of a text that is the reply, or why it has none. */
export function structureOf(tool: CompiledTool, text: string): ReturnType<CompiledTool['structure']> {
  return hasMoreParts(text, maxParts)
    ? { text: null, refusal: 'the reply has too many parts to be checked' }
    : tool.structure(text);
}

/** How the tool rewrites this text; null if it is shown unchanged. */
function rewriting(tool: CompiledTool, type: MediaType, text: string): Rewriting | null {
  const { reply: mapping } = tool.tool;
  const isPage = type.html && mapping.html !== 'source' && isMarkup(text);
  return isPage || shapes(mapping) ? { ...mapping, isPage } : null;
}

/**
 * The output of a rewritten text, which has no structured content. What the operator's mapping leaves out is also left
 * out of the stored reply; HTML that was only made readable is stored as the original.
 */
function rewritten(reading: Reading, text: string, shaped: ShapedText): Output {
  const { tool, reply, type } = reading;
  const visible = cleanText(shaped.text);
  const output = withNotes(tidy(tool, visible, null), [...shaped.notes, ...notesOf(reply)]);
  const whole = shapes(tool.tool.reply)
    ? wholeOf(reading, () => visible, 'text/plain')
    : wholeOf(reading, () => cleanText(text), type.name);
  return { ...output, whole };
}

function notesOf(reply: Reply): readonly string[] {
  return reply.cut === undefined ? [] : [cutNote(reply.cut)];
}

const unstructured = { text: null, refusal: null };

// Some APIs send JSON under another content type.
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

// Some APIs label JSON and plain text as HTML.
function isMarkup(text: string): boolean {
  return text.slice(0, 1_000).trimStart().startsWith('<');
}

function cutNote(cut: NonNullable<Reply['cut']>): string {
  return cut === 'time'
    ? '[The API was still sending when the call timed out: this is what had arrived by then.]'
    : '[The API sent more than the size limit of this call: this is the beginning.]';
}

/** Adds the informative headers of a reply. */
export function withHeaderNotes(
  tool: CompiledTool,
  reply: Reply,
  output: Output,
  maskSecrets: MaskText,
): Output {
  const lines = informativeHeaders(reply.headers);
  return lines === null ? output : withHeaderText(tool, reply.status, output, maskSecrets(lines.join('; ')));
}

/** Adds a line about headers, or replaces an empty body with it. */
function withHeaderText(tool: CompiledTool, status: number, output: Output, headers: string): Output {
  const [first] = output.content;
  const { text } = protectText(tool, cleanText(headers));
  if (output.content.length === 1 && first?.type === 'text' && first.text === '') {
    const said = `The call succeeded (HTTP ${status}). The API sent no body, only these headers: ${text}`;
    return { ...output, content: [{ type: 'text', text: said }] };
  }
  return withNotes(output, [`Headers of the reply: ${text}`]);
}

/** Applies the tool's protections to upstream text, and adds a note about what was done. */
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
