import type { MaskText } from '../../../lib/secrets/mask-secrets.ts';
import type { CompiledTool, Reply, WholeReply } from '../../types.ts';
import { cleanText } from '../clean-text.ts';
import { nameOf } from '../file-content.ts';
import { contentTypeOf, decodeText } from '../media-type.ts';
import { redactText } from '../untrusted-text.ts';
import { mostTold } from './upstream-refused.ts';

/**
 * All that an API said when it refused, for a body that is longer than what an error tells of it; null when the error
 * tells it all, or its operator wants no more to be told.
 */
export function wholeRefusal(
  tool: CompiledTool,
  reply: Reply | null,
  maskSecrets: () => MaskText,
): (() => WholeReply) | null {
  if (reply === null || reply.status < 400 || reply.body.length <= mostTold) return null;
  if (tool.tool.reply.maxBytes !== undefined) return null;
  return () => {
    const type = contentTypeOf(reply);
    const mask = maskSecrets();
    const mediaType = type.name || 'text/plain';
    const name = nameOf(tool, reply, mediaType, mask);
    return type.text
      ? { kind: 'text', text: redactText(tool, cleanText(mask(decodeText(reply, type)))), mediaType, name }
      : { kind: 'bytes', bytes: reply.body, mediaType, name };
  };
}
