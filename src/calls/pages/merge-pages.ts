import { maskTextFor } from '../../lib/secrets/mask-secrets.ts';
import { readsStructure } from '../../pipeline/run-call.ts';
import { shapes } from '../../pipeline/reply/shape-reply.ts';
import { isLongToRewrite, structureOf, transform, transformLong } from '../../pipeline/reply/transform.ts';
import type { Call, Output, Reply } from '../../pipeline/types.ts';
import type { PageFormat } from './formats/page-format.ts';

/**
 * The records of all pages as the output of one call: the list itself; where the operator shapes replies, what that makes of
 * the first page with all records in its list.
 */
export async function mergePages(
  call: Call,
  format: PageFormat,
  texts: readonly string[],
  secrets: readonly string[],
  notes: readonly string[],
): Promise<Output> {
  const { tool } = call;
  const maskSecrets = maskTextFor(secrets);
  const isShaped = shapes(tool.tool.reply);
  const merged = isShaped && format.whole !== null ? format.whole(texts) : format.list(texts);
  const reply = replyOf(merged, format.mediaType);
  const output = isLongToRewrite(tool, reply)
    ? await transformLong(tool, reply, maskSecrets, false)
    : transform(tool, reply, maskSecrets, false);
  const wantsStructure = !isShaped && readsStructure(call) && tool.tool.reply.phrases !== 'redact';
  return {
    ...output,
    content: [...output.content, ...notes.map((text) => ({ type: 'text', text }) as const)],
    structuredText:
      wantsStructure && format.whole !== null
        ? structureOf(tool, maskSecrets(format.whole(texts))).text
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
