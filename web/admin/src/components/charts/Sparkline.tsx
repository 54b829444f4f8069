import styles from './Sparkline.module.css';

const width = 72;
const height = 20;

/** A day at a glance: one bar per hour, failures in red, with a text alternative. `wide` fills its container. */
export function Sparkline({
  hours,
  label,
  wide = false,
}: {
  hours: readonly (readonly [number, number])[];
  label: string;
  wide?: boolean;
}) {
  const max = Math.max(1, ...hours.map(([calls]) => calls));
  const slot = width / Math.max(1, hours.length);
  const tall = (count: number) => (count === 0 ? 0 : Math.max(1.5, (count / max) * height));
  return (
    <svg
      className={styles.spark}
      role="img"
      aria-label={label}
      {...(wide
        ? { width: '100%', height: 28, viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none' }
        : { width, height })}
    >
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
