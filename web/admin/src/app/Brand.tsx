import { Link } from 'wouter';
import styles from './Brand.module.css';

/** The mark: a rail on three posts. */
export function Brand({ big = false }: { big?: boolean }) {
  return (
    <Link href="/" className={styles.brand} data-big={big || undefined}>
      <svg viewBox="0 0 32 32" className={styles.mark} aria-hidden>
        <rect width="32" height="32" rx="8" fill="var(--mantine-color-brand-8)" />
        <path
          d="M6 21 26 11M9.5 19.3V26M16 16v10M22.5 12.800V26"
          fill="none"
          stroke="#fff"
          strokeWidth="2.6"
          strokeLinecap="round"
        />
      </svg>
      Handrail
    </Link>
  );
}
