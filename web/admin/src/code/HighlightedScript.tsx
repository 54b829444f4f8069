import { memo } from 'react';
import styles from './CodeEditor.module.css';
import { type Token, tokensOf } from './script-tokens.ts';

// Highlighting creates an element per token; longer scripts are shown as plain text to keep typing fast.
const maxHighlightedChars = 40_000;

/** A highlighted script, one element per line, hidden from screen readers. */
export const HighlightedScript = memo(function HighlightedScript({
  script,
  badLine,
}: {
  script: string;
  /** The line with the error. */
  badLine: number | undefined;
}) {
  const lines = linesOf(
    script.length <= maxHighlightedChars ? tokensOf(script) : [{ kind: 'name', text: script, from: 0 }],
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
          {/* Gives an empty line its height. */}
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

/** The screen position of an offset in the script. */
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
