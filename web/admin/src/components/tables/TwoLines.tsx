import type { ReactNode } from 'react';
import styles from './TwoLines.module.css';

/** A cell with a second, quieter line. */
export function TwoLines({
  first,
  second,
  mono = false,
}: {
  /** Text, a link, or these followed by badges. */
  first: ReactNode;
  second: string | null | undefined;
  mono?: boolean;
}) {
  return (
    <span className={styles.two}>
      <span>{first}</span>
      {second && (
        <span className={styles.second} data-mono={mono || undefined} title={second}>
          {second}
        </span>
      )}
    </span>
  );
}
