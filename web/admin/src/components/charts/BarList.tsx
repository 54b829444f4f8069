import { Link } from 'wouter';
import styles from './BarList.module.css';

interface Bar {
  readonly name: string;
  readonly value: number;
  /** A note below the name. */
  readonly note?: string;
  /** How much of it failed, as text. */
  readonly bad?: string;
  readonly href?: string;
  /** Turns the name into a button. */
  readonly onChoose?: () => void;
  readonly isChosen?: boolean;
}

/** Named bars, largest first. */
export function BarList({ bars, format }: { bars: readonly Bar[]; format: (value: number) => string }) {
  const max = Math.max(1, ...bars.map((bar) => bar.value));
  return (
    <ol className={styles.list}>
      {bars.map((bar) => (
        <li key={bar.name} className={styles.line} data-chosen={bar.isChosen || undefined}>
          <span className={styles.bar} style={{ width: `${(bar.value / max) * 100}%` }} />
          <BarName bar={bar} />
          {bar.note !== undefined && <span className={styles.note}>{bar.note}</span>}
          {bar.bad !== undefined && <span className={styles.bad}>{bar.bad}</span>}
          <span className={styles.value}>{format(bar.value)}</span>
        </li>
      ))}
    </ol>
  );
}

function BarName({ bar: { name, href, onChoose, isChosen = false } }: { bar: Bar }) {
  if (onChoose)
    return (
      <button type="button" className={styles.name} aria-pressed={isChosen} onClick={onChoose}>
        {name}
      </button>
    );
  if (href === undefined) return <span className={styles.name}>{name}</span>;
  return (
    <Link href={href} className={styles.name}>
      {name}
    </Link>
  );
}
