import styles from './Sparkline.module.css';

const width = 72;
const height = 20;

/** The last day at a glance: one bar per hour, failures in red, with a text alternative. */
export function Sparkline({
  hours,
  label,
}: {
  hours: readonly (readonly [number, number])[];
  label: string;
}) {
  const max = Math.max(1, ...hours.map(([calls]) => calls));
  const slot = width / Math.max(1, hours.length);
  const tall = (count: number) => (count === 0 ? 0 : Math.max(1.5, (count / max) * height));
  return (
    <svg className={styles.spark} width={width} height={height} role="img" aria-label={label}>
      {hours.map(([calls, errors], at) =>
        calls === 0 ? null : (
          // Hours have no id and never change places.
          // oxlint-disable-next-line react/no-array-index-key
          <g key={at}>
            <rect x={at * slot} width={slot * 0.75} y={height - tall(calls)} height={tall(calls)} />
            <rect
              className={styles.bad}
              x={at * slot}
              width={slot * 0.75}
              y={height - tall(errors)}
              height={tall(errors)}
            />
          </g>
        ),
      )}
    </svg>
  );
}
