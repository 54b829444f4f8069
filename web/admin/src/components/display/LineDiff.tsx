import { compareLines } from '#explorer-page/result/compare.ts';
import styles from './LineDiff.module.css';

const tags = { ' ': 'span', '-': 'del', '+': 'ins' } as const;

/** What changed between two texts, line by line. */
export function LineDiff({ before, after, label }: { before: string; after: string; label: string }) {
  return (
    <div className={styles.diff} role="region" aria-label={label} tabIndex={0}>
      {compareLines(before, after).map(({ sign, text }, at) => {
        const Line = tags[sign];
        return (
          // Lines have no id and never change places.
          // oxlint-disable-next-line react/no-array-index-key
          <Line key={at} className={styles.line} data-sign={sign}>
            {text}
          </Line>
        );
      })}
    </div>
  );
}
