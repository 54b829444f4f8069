import type { ReactNode } from 'react';
import { Link } from 'wouter';
import styles from './RowList.module.css';

/** A list of rows, each with a name, a note and something on the right. */
export function RowList({ children }: { children: ReactNode }) {
  return <ul className={styles.list}>{children}</ul>;
}

export function Row({
  name,
  href,
  note,
  side,
  badge,
}: {
  name: ReactNode;
  href?: string;
  note?: ReactNode;
  side?: ReactNode;
  badge?: ReactNode;
}) {
  return (
    <li className={styles.row}>
      <div className={styles.main}>
        {href === undefined ? (
          <span className={styles.name}>{name}</span>
        ) : (
          <Link href={href} className={styles.name}>
            {name}
          </Link>
        )}{' '}
        {badge}
        {note !== undefined && <div className={styles.note}>{note}</div>}
      </div>
      {side && <div className={styles.side}>{side}</div>}
    </li>
  );
}
