import styles from './MiddleEllipsis.module.css';

const keptAtEnd = 8;
const wholeUpTo = 14;

/**
 * Shortens a name in the middle if there is no space, because tool names differ at the end. The full name is in an
 * invisible layer on top, for screen readers, page search and copying.
 */
export function MiddleEllipsis({ text }: { text: string }) {
  if (text.length <= wholeUpTo) return text;
  return (
    <span className={styles.cut} title={text}>
      <span className={styles.whole}>{text}</span>
      <span className={styles.head} aria-hidden>
        {text.slice(0, -keptAtEnd)}
      </span>
      <span className={styles.tail} aria-hidden>
        {text.slice(-keptAtEnd)}
      </span>
    </span>
  );
}
