import { escapeBytes } from '../../lib/json/escape/escape-bytes.ts';
import { bytesAsTheyCame } from '../../pipeline/reply/as-it-came.ts';
import type { Content, Outcome } from '../../pipeline/types.ts';
import { noResultText, nothingSent } from '../render/render-outcome.ts';

/** JSON text: whole, or where most of it are bytes already, its pieces. */
export type Written = string | readonly (string | Buffer)[];

/**
 * The JSON text of a `tools/call` result, written around the reply's own text instead of through objects: the same
 * document that the SDK makes of `outcomeResult`, as the differential test holds. `stamp` is what the era adds to every
 * result, `hint` stands behind what went wrong.
 */
export function resultText(outcome: Outcome, promised: boolean, stamp: string, hint = ''): Written {
  if (outcome.kind !== 'done')
    return `{"content":[{"type":"text","text":${JSON.stringify(noResultText(outcome) + hint)}}],"isError":true${stamp}}`;
  const { content, structuredText } = outcome.output;
  const structure =
    structuredText === null
      ? promised
        ? ',"structuredContent":{}'
        : ''
      : `,"structuredContent":${structuredText}`;
  const escaped = escapedText(content[0]);
  if (escaped !== null) {
    const others = content.length === 1 ? '' : `,${content.slice(1).map(contentText).join()}`;
    return ['{"content":[{"type":"text","text":"', ...escaped, `"}${others}]${structure}${stamp}}`];
  }
  const parts = content.length === 1 ? contentText(content[0]!) : content.map(contentText).join();
  return `{"content":[${parts}]${structure}${stamp}}`;
}

/** The reply's own text, where its bytes can be written as they are. */
function escapedText(first: Content | undefined): Buffer[] | null {
  const bytes = first === undefined ? undefined : bytesAsTheyCame(first);
  return bytes === undefined ? null : escapeBytes(bytes);
}

function contentText(part: Content): string {
  return part.type === 'text'
    ? `{"type":"text","text":${JSON.stringify(part.text || nothingSent)}}`
    : JSON.stringify(part);
}
