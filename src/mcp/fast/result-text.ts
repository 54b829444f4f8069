import type { Content, Outcome } from '../../pipeline/types.ts';
import { noResultText, nothingSent } from '../render/render-outcome.ts';

/**
 * The JSON text of a `tools/call` result, written around the reply's own text instead of through objects: the same
 * document that the SDK makes of `outcomeResult`, as the differential test holds. `stamp` is what the era adds to every
 * result, `hint` stands behind what went wrong.
 */
export function resultText(outcome: Outcome, promised: boolean, stamp: string, hint = ''): string {
  if (outcome.kind !== 'done')
    return `{"content":[{"type":"text","text":${JSON.stringify(noResultText(outcome) + hint)}}],"isError":true${stamp}}`;
  const { content, structuredText } = outcome.output;
  const parts = content.length === 1 ? contentText(content[0]!) : content.map(contentText).join();
  if (structuredText === null)
    return `{"content":[${parts}]${promised ? ',"structuredContent":{}' : ''}${stamp}}`;
  return `{"content":[${parts}],"structuredContent":${structuredText}${stamp}}`;
}

function contentText(part: Content): string {
  return part.type === 'text'
    ? `{"type":"text","text":${JSON.stringify(part.text || nothingSent)}}`
    : JSON.stringify(part);
}
