import { Link } from 'wouter';
import { useFormats } from '../../i18n/format.ts';
import { type TimedSteps, waterfallOf } from './waterfall.ts';
import styles from './Waterfall.module.css';

/** The timing of a call, to scale. */
export function Waterfall({ call }: { call: TimedSteps }) {
  const format = useFormats();
  return (
    <ol className={styles.waterfall}>
      {waterfallOf(call).map((stretch, at) => (
        <li key={at} className={styles.line}>
          <span className={styles.name}>
            {stretch.href === undefined ? stretch.name : <Link href={stretch.href}>{stretch.name}</Link>}
            {stretch.note && <span className={styles.note}> {stretch.note}</span>}
          </span>
          <span className={styles.track}>
            <span
              className={styles.bar}
              data-kind={stretch.name}
              style={{ left: `${stretch.start * 100}%`, width: `${Math.max(stretch.width * 100, 0.6)}%` }}
            />
          </span>
          <span className={styles.time}>{format.duration(stretch.durationMs)}</span>
        </li>
      ))}
    </ol>
  );
}
