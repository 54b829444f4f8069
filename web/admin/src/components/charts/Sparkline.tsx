import styles from './Sparkline.module.css';

const width = 72;
const height = 20;

/** The last day in one glance: a bar for each hour, what failed of it in red. Said in words for whoever cannot see it. */
export function Sparkline({
  hours,
  label,
}: {
  hours: readonly (readonly [number, number])[];
  label: string;
}) {
  const most = Math.max(1, ...hours.map(([calls]) => calls));
  const slot = width / Math.max(1, hours.length);
  const tall = (count: number) => (count === 0 ? 0 : Math.max(1.5, (count / most) * height));
  return (
    <svg className={styles.spark} width={width} height={height} role="img" aria-label={label}>
      {hours.map(([calls, errors], at) =>
        calls === 0 ? null : (
          // Hours have no names of their own, and never change places.
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
