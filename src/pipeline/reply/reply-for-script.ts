import type { MaskText } from '../../lib/secrets/mask-secrets.ts';
import type { CompiledTool } from '../compiled-tool.ts';
import { cleanText } from './clean-text.ts';
import { contentTypeOf, decodeText } from './media-type.ts';
import type { ErrorAnswer, Reply } from './reply.ts';
import { redactText } from './untrusted-text.ts';

const maxHeaders = 60;
const maxHeaderLength = 2_000;
const maxErrorText = 64 * 1024;
// They identify a session, or describe the connection.
const hidden = new Set([
  'set-cookie',
  'set-cookie2',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-encoding',
  'alt-svc',
]);

/** The headers of a reply as a script sees them. */
export function headersForScript(
  tool: CompiledTool,
  { headers }: Pick<Reply, 'headers'>,
  maskSecrets: MaskText,
): ErrorAnswer['headers'] {
  const shown = Object.entries(headers)
    .filter(([name]) => !hidden.has(name))
    .slice(0, maxHeaders);
  return Object.fromEntries(
    shown.map(([name, value]) => [
      name,
      redactText(tool, maskSecrets(cleanText(value))).slice(0, maxHeaderLength),
    ]),
  );
}

/** An error reply as a script sees it. */
export function errorForScript(tool: CompiledTool, reply: Reply, maskSecrets: MaskText): ErrorAnswer {
  const type = contentTypeOf(reply);
  const text = type.text ? redactText(tool, maskSecrets(cleanText(decodeText(reply, type)))) : '';
  return { headers: headersForScript(tool, reply, maskSecrets), text: text.slice(0, maxErrorText) };
}
