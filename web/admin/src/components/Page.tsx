import type { ReactNode } from 'react';
import { lazy, Suspense, useEffect } from 'react';
import { CircleHelp } from 'lucide-react';
import { Link, useLocation } from 'wouter';
import { useHasRole } from '../app/account/permissions.tsx';
import { docsAt } from '../app/page-table.ts';
import { useText } from '../i18n/text.tsx';
import styles from './Page.module.css';

const ViewOnly = lazy(() => import('./feedback/ViewOnly.tsx'));

interface PageProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  /** The parent page. */
  readonly parent?: { readonly href: string; readonly label: string };
  readonly badge?: ReactNode;
  /** The role that can edit this page, if any role can. */
  readonly edits?: 'editor' | 'owner';
  readonly wide?: boolean;
  readonly children: ReactNode;
}

/** The frame of every page: its title, purpose and actions. */
export function Page({ title, lead, actions, parent, badge, edits, wide = false, children }: PageProps) {
  const t = useText();
  const [path] = useLocation();
  const may = useHasRole(edits ?? 'viewer');
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
            <a
              href={docsAt(path)}
              target="_blank"
              rel="noreferrer"
              className={styles.docs}
              aria-label={t('page.docs')}
              title={t('page.docs')}
            >
              <CircleHelp size={17} strokeWidth={1.75} aria-hidden />
            </a>
            {edits && !may && (
              <Suspense>
                <ViewOnly role={edits} />
              </Suspense>
            )}
          </div>
          {lead && <p className={styles.lead}>{lead}</p>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}
