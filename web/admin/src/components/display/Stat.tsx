import type { ReactNode } from 'react';
import styles from './Stat.module.css';

/** One number with its name. */
export function Stat({
  name,
  value,
  note,
  tone,
  chart,
}: {
  name: string;
  value: ReactNode;
  note?: ReactNode;
  tone?: 'good' | 'bad' | 'warn';
  /** Drawn below. */
  chart?: ReactNode;
}) {
  return (
    <div className={styles.stat}>
      <span className={styles.name}>{name}</span>
      <span className={styles.value} data-tone={tone}>
        {value}
      </span>
      {note !== undefined && <span className={styles.note}>{note}</span>}
      {chart && <span className={styles.chart}>{chart}</span>}
    </div>
  );
}

export function Stats({ children }: { children: ReactNode }) {
  return <div className={styles.stats}>{children}</div>;
}
