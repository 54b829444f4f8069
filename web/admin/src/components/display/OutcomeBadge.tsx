import { useText } from '../../i18n/text.tsx';
import styles from './OutcomeBadge.module.css';

/** How a call ended; the code is shown as it is, because people search for it. */
export function OutcomeBadge({ outcome, status }: { outcome: string; status?: number | null }) {
  const t = useText();
  const isNamed = outcome === 'ok' || outcome === 'waiting';
  return (
    <span className={styles.outcome} data-outcome={isNamed ? outcome : 'failed'}>
      <span className={styles.dot} aria-hidden />
      <span className={styles.words}>{isNamed ? t(`calls.${outcome}`) : outcome.replaceAll('_', ' ')}</span>
      {status ? <span className={styles.status}>{status}</span> : null}
    </span>
  );
}
