import { createHash } from 'node:crypto';
import type { Operation } from '../../domain/operation.ts';
import { hasMoreParts } from '../../lib/json/strict/count-parts.ts';
import { mayDisguise } from '../../lib/secrets/disguises.ts';
import { withholding } from '../../lib/secrets/mask-pii.ts';
import { keepText, type MaskText } from '../../lib/secrets/mask-secrets.ts';
import { isPlainAscii } from '../../lib/text/plain-ascii.ts';
import { OverBudget, WorkBudget } from '../../lib/work-budget.ts';
import type { CompiledTool } from '../compiled-tool.ts';
import type { Content, Output, Reply, WholeReply } from './reply.ts';
import { rawTextContent } from './raw-reply.ts';
import { cleanText } from './clean-text.ts';
import { reportsFailure } from './errors/reports-failure.ts';
import { redirectError, upstreamStatusError } from './errors/upstream-status-error.ts';
import { fileContent, nameOf } from './file-content.ts';
import { asBuffer, contentTypeOf, decodeText, type MediaType } from './media-type.ts';
import { informativeHeaders } from './reply-headers.ts';
import { inlineLimits } from './reply-thread.ts';
import { maskBytes } from './mask-bytes.ts';
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
  if (reply.status >= 400) throw upstreamStatusError(tool, reply, withholding(maskSecrets));
  if (reply.status >= 300 && reply.status !== 304) throw redirectError(tool, reply, withholding(maskSecrets));
  if (tool.api.ignoreErrorBodies !== true && reportsFailure(reply))
    throw upstreamStatusError(tool, reply, withholding(maskSecrets));
  const type = contentTypeOf(reply);
  const output = type.text
    ? readText({ tool, reply, type, maskSecrets, withStructure })
    : fileOutput(
        tool,
        { ...reply, body: maskBytes(reply.body, withholding(maskSecrets)) },
        type,
        maskSecrets,
      );
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
  if (!isLong(tool, reply, maskSecrets)) {
    try {
      return transform(tool, reply, maskSecrets, withStructure);
    } catch (error) {
      if (!(error instanceof OverBudget)) throw error;
    }
  }
  return transformLong(caller, tool, reply, maskSecrets, withStructure);
}

function isLong(tool: CompiledTool, reply: Reply, maskSecrets: MaskText): boolean {
  if (reply.body.length <= longBytes || reply.status >= 300) return false;
  const { reply: mapping } = tool.tool;
  const type = contentTypeOf(reply);
  const isRewritten = shapes(mapping) || (type.html && mapping.html !== 'source');
  return type.text && (isRewritten || maskSecrets !== keepText);
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
  const { text } = receivedText(reading);
  const mapping = rewriting(tool, type, text);
  // Decoding what may disguise a secret takes as long as rewriting does.
  const output =
    mapping === null && maskSecrets.pii === null && (maskSecrets === keepText || !mayDisguise(text))
      ? readText(reading)
      : await longOutput(caller, reading, text, mapping);
  return withHeaderNotes(tool, reply, output, maskSecrets);
}

async function longOutput(
  caller: string,
  reading: Reading,
  text: string,
  mapping: Rewriting | null,
): Promise<Output> {
  const { tool, type, maskSecrets } = reading;
  const structured = mapping === null ? readStructure(reading, text) : unstructured;
  const keepsSource = mapping !== null && !shapes(tool.tool.reply);
  const others = [...(keepsSource ? [text] : []), ...(structured.text === null ? [] : [structured.text])];
  const shown = await rewriteInThread(caller, {
    rewriting: mapping,
    text,
    others,
    secrets: maskSecrets.secrets,
    patterns: maskSecrets.pii?.patterns ?? [],
  });
  if (shown.found !== undefined) maskSecrets.pii?.onFound(shown.found);
  if (mapping === null)
    return textOutput(
      reading,
      shown.text,
      maskedStructure(structured, () => shown.others[0]!),
    );
  return rewrittenOutput(reading, shown, keepsSource ? [() => shown.others[0]!, type.name] : null);
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
  const { tool, type, maskSecrets } = reading;
  const isUnchanged = isShownUnchanged(reading);
  if (isUnchanged && maskSecrets === keepText)
    return unchangedOutput(reading, () => visibleText(receivedText(reading)));
  const received = receivedText(reading);
  const { text } = received;
  const mapping = rewriting(tool, type, text);
  if (mapping !== null) {
    const shaped = rewriteText(mapping, text, new WorkBudget(inlineLimits));
    const shown = { ...shaped, text: maskSecrets(cleanText(shaped.text)) };
    const source = (): string => maskSecrets(cleanText(text));
    return rewrittenOutput(reading, shown, shapes(tool.tool.reply) ? null : [source, type.name]);
  }
  const structured = readStructure(reading, text);
  const visible = visibleText(received);
  const masked = maskSecrets(visible);
  if (isUnchanged && masked === visible) return unchangedOutput(reading, () => visible);
  return textOutput(reading, masked, maskedStructure(structured, maskSecrets));
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

function unchangedOutput(reading: Reading, read: () => string): Output {
  const part = rawTextContent(asBuffer(reading.reply.body), read);
  return {
    content: [part],
    structuredText: null,
    whole: wholeOf(reading, () => part.text, reading.type.name || 'text/plain'),
  };
}

/** The output of a text that is shown in its own form. Text and structure are masked. */
function textOutput(reading: Reading, text: string, { text: structured, refusal }: Structure): Output {
  const { tool, reply, type } = reading;
  const { content, structuredText } = withNotes(tidy(tool, text, structured), notesOf(reply));
  const whole = wholeOf(reading, () => text, type.name || 'text/plain');
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

type Structure = ReturnType<CompiledTool['structure']>;

function readStructure({ tool, type, withStructure }: Reading, text: string): Structure {
  return withStructure && mayHaveStructure(type, text) ? structureOf(tool, text) : unstructured;
}

/** Structured content without secrets; none where a secret was part of its structure, such as a number. */
function maskedStructure(structure: Structure, maskSecrets: (text: string) => string): Structure {
  if (structure.text === null) return structure;
  const text = maskSecrets(structure.text);
  return text === structure.text || isJson(text) ? { ...structure, text } : holdsCredential;
}

const holdsCredential = { text: null, refusal: 'it repeats a credential' };

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

// The check parses the whole text.
const maxParts = 300_000;

/** The structured content of a text that is the reply, or why it has none. */
export function structureOf(tool: CompiledTool, text: string): Structure {
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
 * The output of a rewritten and masked text, which has no structured content. What the operator's mapping leaves out is also left
 * out of the stored reply; HTML that was only made readable is stored as the original.
 */
function rewrittenOutput(
  reading: Reading,
  shown: ShapedText,
  source: readonly [read: () => string, mediaType: string] | null,
): Output {
  const output = withNotes(tidy(reading.tool, shown.text, null), [...shown.notes, ...notesOf(reading.reply)]);
  const [read, mediaType] = source ?? [() => shown.text, 'text/plain'];
  return { ...output, whole: wholeOf(reading, read, mediaType) };
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
  const general = informativeHeaders(reply.headers);
  const { etag } = reply.headers;
  const lines =
    etag !== undefined && concernsOneThing(tool.tool.operation)
      ? [...(general ?? []), `etag: ${etag.slice(0, maxEtagLength)}`]
      : general;
  return lines === null
    ? output
    : withHeaderText(tool, reply.status, output, maskSecrets(cleanText(lines.join('; '))));
}

const maxEtagLength = 200;

/** Whether a reply's version may be needed to change the same thing later (`If-Match`); that of a list isn't. */
function concernsOneThing({ method, path }: Operation): boolean {
  return method !== 'GET' || path.endsWith('}');
}

/** Adds a line about headers, or replaces an empty body with it. */
function withHeaderText(tool: CompiledTool, status: number, output: Output, headers: string): Output {
  const [first] = output.content;
  const { text } = protectText(tool, headers);
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
