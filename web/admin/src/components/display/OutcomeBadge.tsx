import { useText } from '../../i18n/text.tsx';
import styles from './OutcomeBadge.module.css';

/** The outcome of a call. Error codes are shown verbatim because people search for them. */
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
