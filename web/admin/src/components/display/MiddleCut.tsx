import styles from './MiddleCut.module.css';

const keptAtEnd = 8;
const wholeUpTo = 14;

/**
 * A name that is cut in its middle where it has no room: names of tools differ at their end. The name itself lies over it
 * unseen, whole, for whoever listens, searches the page or copies it.
 */
export function MiddleCut({ text }: { text: string }) {
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
