import { readableHtml } from '../../lib/markup/readable-html.ts';
import type { MaskText } from '../../lib/secrets/mask-secrets.ts';
import type { CompiledTool, Content, Output, Reply } from '../types.ts';
import { cleanText } from './clean-text.ts';
import { redirectRefused } from './errors/redirect-refused.ts';
import { upstreamRefused } from './errors/upstream-refused.ts';
import { fileContent } from './file-content.ts';
import { contentTypeOf, decodeText, type MediaType } from './media-type.ts';
import { tellingHeaders } from './reply-headers.ts';
import { shapes, shapeText } from './shape-reply.ts';
import { protectText, removePhrases } from './untrusted-text.ts';

/**
 * Turns a reply into the tool's output, or throws what the model should know when the upstream refused. Pure but for
 * the random boundary of untrusted text. `maskSecrets` takes out what an upstream echoes of its credential.
 */
export function transform(tool: CompiledTool, reply: Reply, maskSecrets: MaskText = (text) => text): Output {
  if (reply.status >= 400) throw upstreamRefused(tool, reply, maskSecrets);
  if (reply.status >= 300 && reply.status !== 304) throw redirectRefused(tool, reply, maskSecrets);
  const type = contentTypeOf(reply);
  const output = type.text
    ? textOutput(tool, reply, type, maskSecrets)
    : { content: fileContent(tool, reply, type, maskSecrets), structuredText: null };
  const told = tellingHeaders(reply.headers);
  return told === null ? output : withHeaders(tool, reply.status, output, maskSecrets(told.join('; ')));
}

function textOutput(tool: CompiledTool, reply: Reply, type: MediaType, maskSecrets: MaskText): Output {
  const { reply: mapping } = tool.tool;
  const text = maskSecrets(decodeText(reply, type));
  const notes = reply.cut === undefined ? [] : [cutNote(reply.cut)];
  if (type.html && mapping.html !== 'source' && isMarkup(text))
    return tidied(tool, mapping, readablePage(text), notes);
  if (shapes(mapping)) return tidied(tool, mapping, text, notes);
  const { text: structured, refusal } = mayHaveStructure(type, text) ? tool.structure(text) : unstructured;
  const output = tidy(tool, text, structured);
  if (refusal === null && notes.length === 0) return output;
  return {
    ...withNotes(output, notes),
    ...(refusal !== null && { note: `structured content left out: ${refusal}` }),
  };
}

const unstructured = { text: null, refusal: null };

// Some send JSON under another name.
function mayHaveStructure(type: MediaType, text: string): boolean {
  return type.json ? text !== '' : text.startsWith('{') || text.startsWith('[');
}

/** Text that is shaped as the tool asks for it, and has no structure any more. */
function tidied(
  tool: CompiledTool,
  mapping: CompiledTool['tool']['reply'],
  text: string,
  notes: readonly string[],
): Output {
  if (!shapes(mapping)) return withNotes(tidy(tool, text, null), notes);
  const shaped = shapeText(mapping, text);
  return withNotes(tidy(tool, shaped.text, null), [...shaped.notes, ...notes]);
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

const longestPage = 2_000_000;

/** A page as its words; of a very long one, of its beginning. */
function readablePage(html: string): string {
  const words = readableHtml(html.slice(0, longestPage), 'marked');
  return html.length <= longestPage ? words : `${words}\n[Only the beginning of a very long page was read.]`;
}

function cutNote(cut: NonNullable<Reply['cut']>): string {
  return cut === 'time'
    ? '[The API was still sending when the time for this call was over: this is what had come until then.]'
    : '[The API sent more than this call may take: this is the beginning.]';
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
function tidy(tool: CompiledTool, raw: string, structured: string | null): Output {
  const clean = cleanText(raw);
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
