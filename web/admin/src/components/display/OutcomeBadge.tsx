import { useText } from '../../i18n/text.tsx';
import styles from './OutcomeBadge.module.css';
import { faultOf, useOutcomeText } from './outcomes.ts';

/** The outcome of a call in words, colored by whose fault it was; the code is in its title, because people search for it. */
export function OutcomeBadge({ outcome, status }: { outcome: string; status?: number | null }) {
  const t = useText();
  const textOf = useOutcomeText();
  const fault = faultOf(outcome);
  return (
    <span
      className={styles.outcome}
      data-outcome={fault ?? outcome}
      title={fault === null ? undefined : `${t(`calls.fault.${fault}`)} (${outcome})`}
    >
      <span className={styles.dot} aria-hidden />
      <span className={styles.words}>{textOf(outcome)}</span>
      {status ? <span className={styles.status}>{status}</span> : null}
    </span>
  );
}
