import type { ReactNode } from 'react';
import styles from './Panel.module.css';

interface PanelProps {
  readonly title?: ReactNode;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  /** Removes the padding, for tables. */
  readonly flush?: boolean;
  readonly children: ReactNode;
}

/** A card about one topic. */
export function Panel({ title, lead, actions, flush = false, children }: PanelProps) {
  return (
    <section className={styles.panel} data-flush={flush || undefined}>
      {(title !== undefined || actions !== undefined) && (
        <div className={styles.head}>
          <div className={styles.words}>
            {title !== undefined && <h2 className={styles.title}>{title}</h2>}
            {lead && <p className={styles.lead}>{lead}</p>}
          </div>
          {actions && <div className={styles.actions}>{actions}</div>}
        </div>
      )}
      <div className={styles.body}>{children}</div>
    </section>
  );
}
