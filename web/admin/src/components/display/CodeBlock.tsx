import { useMemo } from 'react';
import { useText } from '../../i18n/text.tsx';
import styles from './CodeBlock.module.css';
import { CopyButton } from './CopyButton.tsx';
import { prettyPrint, tokenizeJson } from './json-tokens.ts';

interface CodeBlockProps {
  readonly text: string;
  /** Pretty-prints and highlights the text as JSON. */
  readonly json?: boolean;
  readonly label?: string;
  readonly maxHeight?: number;
}

// Highlighting creates an element per value; longer texts are shown plain to keep the page fast.
const maxHighlightedChars = 60_000;

/** Text to read and copy. Nothing from a server is ever rendered as markup. */
export function CodeBlock({ text, json = false, label, maxHeight = 420 }: CodeBlockProps) {
  const t = useText();
  const shown = useMemo(() => (json ? prettyPrint(text) : text), [text, json]);
  const pieces = useMemo(
    () => (json && shown.length <= maxHighlightedChars ? tokenizeJson(shown) : null),
    [json, shown],
  );
  return (
    <div className={styles.block}>
      <div className={styles.copy}>
        <CopyButton text={shown} />
      </div>
      <pre
        className={styles.pre}
        style={{ maxHeight }}
        tabIndex={0}
        aria-label={label ?? t('common.code')}
        role="region"
      >
        <code>
          {pieces === null
            ? shown
            : pieces.map((piece, at) =>
                piece.kind === 'mark' ? (
                  piece.text
                ) : (
                  <span key={at} data-kind={piece.kind}>
                    {piece.text}
                  </span>
                ),
              )}
        </code>
      </pre>
    </div>
  );
}
