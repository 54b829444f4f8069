import { useMemo } from 'react';
import { useText } from '../../i18n/text.tsx';
import styles from './CodeBlock.module.css';
import { CopyButton } from './CopyButton.tsx';
import { layOut, piecesOf } from './json-pieces.ts';

interface CodeBlockProps {
  readonly text: string;
  /** Laid out and coloured as JSON. */
  readonly json?: boolean;
  readonly label?: string;
  readonly maxHeight?: number;
}

// Colouring makes a span for every value; past this a plain text is kinder to the browser.
const colourLimit = 60_000;

/** Text to read and copy. Always text: nothing from a server is ever markup here. */
export function CodeBlock({ text, json = false, label, maxHeight = 420 }: CodeBlockProps) {
  const t = useText();
  const shown = useMemo(() => (json ? layOut(text) : text), [text, json]);
  const pieces = useMemo(() => (json && shown.length <= colourLimit ? piecesOf(shown) : null), [json, shown]);
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
