import type { ReactNode } from 'react';
import { useEffect } from 'react';
import { Link } from 'wouter';
import styles from './Page.module.css';

interface PageProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  /** The page above this one. */
  readonly parent?: { readonly href: string; readonly label: string };
  readonly badge?: ReactNode;
  readonly wide?: boolean;
  readonly children: ReactNode;
}

/** The frame of every page: where you are, what it is for, what you can do. */
export function Page({ title, lead, actions, parent, badge, wide = false, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Handrail`;
  }, [title]);
  return (
    <div className={styles.page} data-wide={wide || undefined}>
      <header className={styles.header}>
        <div className={styles.heading}>
          {parent && (
            <Link href={parent.href} className={styles.parent}>
              {parent.label}
            </Link>
          )}
          <div className={styles.titleLine}>
            <h1 className={styles.title}>{title}</h1>
            {badge}
          </div>
          {lead && <p className={styles.lead}>{lead}</p>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}
