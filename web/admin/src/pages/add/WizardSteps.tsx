import { Check } from 'lucide-react';
import { useText } from '../../i18n/text.tsx';
import styles from './WizardSteps.module.css';

const steps = ['source', 'plan', 'credential', 'publish', 'done'] as const;

/** Where you are on the way. */
export function WizardSteps({ at }: { at: (typeof steps)[number] }) {
  const t = useText();
  const here = steps.indexOf(at);
  return (
    <ol className={styles.steps}>
      {steps.map((step, index) => (
        <li
          key={step}
          className={styles.step}
          data-state={index < here ? 'past' : index === here ? 'here' : 'ahead'}
          aria-current={index === here ? 'step' : undefined}
        >
          <span className={styles.number}>{index < here ? <Check size={13} aria-hidden /> : index + 1}</span>
          <span className={styles.name}>{t(`add.step.${step}`)}</span>
        </li>
      ))}
    </ol>
  );
}
