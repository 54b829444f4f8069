import { Link } from 'wouter';
import styles from './BarList.module.css';

interface Bar {
  readonly name: string;
  readonly value: number;
  /** How much of it went wrong, in words. */
  readonly bad?: string;
  readonly href?: string;
}

/** Names with bars, largest first. */
export function BarList({ bars, format }: { bars: readonly Bar[]; format: (value: number) => string }) {
  const max = Math.max(1, ...bars.map((bar) => bar.value));
  return (
    <ol className={styles.list}>
      {bars.map((bar) => (
        <li key={bar.name} className={styles.line}>
          <span className={styles.bar} style={{ width: `${(bar.value / max) * 100}%` }} />
          {bar.href === undefined ? (
            <span className={styles.name}>{bar.name}</span>
          ) : (
            <Link href={bar.href} className={styles.name}>
              {bar.name}
            </Link>
          )}
          {bar.bad !== undefined && <span className={styles.bad}>{bar.bad}</span>}
          <span className={styles.value}>{format(bar.value)}</span>
        </li>
      ))}
    </ol>
  );
}
