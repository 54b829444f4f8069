import { memo } from 'react';
import styles from './CodeEditor.module.css';
import { type Token, tokensOf } from './script-tokens.ts';

// Colouring makes an element for every word; past this a plain text is kinder to the browser.
const colourLimit = 40_000;

/** A script in colours, a line an element, for the eye alone. */
export const ColouredScript = memo(function ColouredScript({
  script,
  badLine,
}: {
  script: string;
  /** The line that something is wrong with. */
  badLine: number | undefined;
}) {
  const lines = linesOf(
    script.length <= colourLimit ? tokensOf(script) : [{ kind: 'name', text: script, from: 0 }],
  );
  return (
    <div aria-hidden className={styles.lines}>
      {lines.map((line, at) => (
        <div key={at} className={styles.line} data-bad={at + 1 === badLine || undefined}>
          {line.map(({ kind, text, from }) =>
            kind === 'space' || kind === 'name' || kind === 'mark' ? (
              text
            ) : (
              <span key={from} data-kind={kind}>
                {text}
              </span>
            ),
          )}
          {/* An empty line is as high as any other. */}
          {'\u200b'}
        </div>
      ))}
    </div>
  );
});

function linesOf(tokens: readonly Token[]): Token[][] {
  const lines: Token[][] = [[]];
  for (const { kind, text, from } of tokens) {
    let at = from;
    text.split('\n').forEach((part, n) => {
      if (n > 0) lines.push([]);
      if (part !== '') lines.at(-1)!.push({ kind, text: part, from: at });
      at += part.length + 1;
    });
  }
  return lines;
}

/** Where a place of a script is on the screen. */
export function rectOfPlace(lines: Element, script: string, place: number): DOMRect {
  const before = script.slice(0, place).split('\n');
  const line = lines.children[before.length - 1] ?? lines;
  let left = before.at(-1)!.length;
  const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const length = node.nodeValue?.length ?? 0;
    if (left > length) {
      left -= length;
      continue;
    }
    const range = document.createRange();
    range.setStart(node, left);
    range.setEnd(node, left);
    return range.getBoundingClientRect();
  }
  return line.getBoundingClientRect();
}
