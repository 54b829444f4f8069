import { useText } from '../../i18n/text.tsx';
import styles from './OutcomeBadge.module.css';

/** How a call ended; the code is shown as it is, because people search for it. */
export function OutcomeBadge({ outcome, status }: { outcome: string; status?: number | null }) {
  const t = useText();
  const ok = outcome === 'ok';
  return (
    <span className={styles.outcome} data-ok={ok}>
      <span className={styles.dot} aria-hidden />
      <span className={styles.words}>{ok ? t('calls.ok') : outcome.replaceAll('_', ' ')}</span>
      {status ? <span className={styles.status}>{status}</span> : null}
    </span>
  );
}
