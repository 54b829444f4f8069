import type { MaskText } from '../../lib/secrets/mask-secrets.ts';
import { cleanText } from './clean-text.ts';
import { redirectRefused } from './errors/redirect-refused.ts';
import { upstreamRefused } from './errors/upstream-refused.ts';
import { asBuffer, decodeText, type MediaType, mediaTypeOf } from './media-type.ts';
import { shapes, shapeText } from './shape-reply.ts';
import type { CompiledTool, Content, Output, Reply } from '../types.ts';
import { protectText, removePhrases } from './untrusted-text.ts';

/**
 * Turns a reply into the tool's output, or throws what the model should know when the upstream refused. Pure but for
 * the random boundary of untrusted text. `maskSecrets` takes out what an upstream echoes of its credential.
 */
export function transform(tool: CompiledTool, reply: Reply, maskSecrets: MaskText = (text) => text): Output {
  if (reply.status >= 400) throw upstreamRefused(tool, reply, maskSecrets);
  if (reply.status >= 300 && reply.status !== 304) throw redirectRefused(tool, reply, maskSecrets);
  const type = mediaTypeOf(reply);
  const binary = binaryContent(type, reply, tool);
  if (binary !== null) return { content: [binary], structuredText: null };
  const text = maskSecrets(decodeText(reply, type));
  const { reply: mapping } = tool.tool;
  if (!shapes(mapping)) return tidy(tool, text, structuredText(tool, type, text));
  const shaped = shapeText(mapping, text);
  const output = tidy(tool, shaped.text, null);
  const notes = shaped.notes.map((note): Content => ({ type: 'text', text: note }));
  return { ...output, content: [...output.content, ...notes] };
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

function structuredText(tool: CompiledTool, type: MediaType, text: string): string | null {
  if (tool.outputSchema === null || !type.json) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? text : null;
  } catch {
    return null;
  }
}

function binaryContent({ name: type, text }: MediaType, reply: Reply, tool: CompiledTool): Content | null {
  if (text) return null;
  const data = asBuffer(reply.body).toString('base64');
  if (type.startsWith('image/')) return { type: 'image', data, mimeType: type };
  if (type.startsWith('audio/')) return { type: 'audio', data, mimeType: type };
  return {
    type: 'resource',
    resource: { uri: `handrail://reply/${encodeURIComponent(tool.tool.name)}`, mimeType: type, blob: data },
  };
}
