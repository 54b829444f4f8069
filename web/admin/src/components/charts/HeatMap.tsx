import styles from './HeatMap.module.css';

interface HeatMapProps {
  readonly label: string;
  readonly columns: readonly string[];
  readonly rows: readonly {
    readonly name: string;
    readonly label: string;
    readonly values: readonly number[];
  }[];
  readonly formatTime: (time: string) => string;
  readonly format: (value: number) => string;
}

/** Counts by row and time; the darker, the more. */
export function HeatMap({ label, columns, rows, formatTime, format }: HeatMapProps) {
  const max = Math.max(1, ...rows.flatMap((row) => row.values));
  return (
    <div className={styles.scroller} tabIndex={0} role="region" aria-label={label}>
      <table className={styles.map}>
        <caption className={styles.hidden}>{label}</caption>
        <thead className={styles.hidden}>
          <tr>
            <th>—</th>
            {columns.map((time) => (
              <th key={time}>{formatTime(time)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <th scope="row" className={styles.name} title={row.label}>
                {row.label}
              </th>
              {row.values.map((value, at) => (
                <td
                  key={columns[at]}
                  className={styles.cell}
                  title={`${row.label} · ${formatTime(columns[at] ?? '')} · ${format(value)}`}
                >
                  <span
                    className={styles.square}
                    style={{ opacity: value === 0 ? 0 : 0.18 + 0.82 * Math.sqrt(value / max) }}
                  />
                  <span className={styles.hidden}>{format(value)}</span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
