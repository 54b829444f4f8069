import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from './EmptyState.module.css';

interface EmptyStateProps {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly text?: string;
  readonly action?: ReactNode;
  readonly tone?: 'calm' | 'bad';
}

/** Shown in place of a list or chart that has no data: why, and what to do about it. */
export function EmptyState({ icon: Icon, title, text, action, tone = 'calm' }: EmptyStateProps) {
  return (
    <div className={styles.empty} data-tone={tone} role={tone === 'bad' ? 'alert' : undefined}>
      <span className={styles.icon}>
        <Icon size={22} strokeWidth={1.75} aria-hidden />
      </span>
      <p className={styles.title}>{title}</p>
      {text && <p className={styles.text}>{text}</p>}
      {action && <div className={styles.action}>{action}</div>}
    </div>
  );
}
