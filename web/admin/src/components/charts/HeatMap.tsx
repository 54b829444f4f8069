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
  /** Labels for both ends of the scale. */
  readonly scale: { readonly min: string; readonly max: string };
}

const labelsShown = 8;

/** Counts by row and time, as a table so that it can be read as well as seen. */
export function HeatMap({ label, columns, rows, formatTime, format, scale }: HeatMapProps) {
  const max = Math.max(1, ...rows.flatMap((row) => row.values));
  const labelEvery = Math.max(1, Math.ceil(columns.length / labelsShown));
  return (
    <>
      <div className={styles.scroller} tabIndex={0} role="region" aria-label={label}>
        <table className={styles.map} style={{ '--columns': columns.length } as React.CSSProperties}>
          <caption className={styles.hidden}>{label}</caption>
          <colgroup>
            <col className={styles.names} />
            {columns.map((time) => (
              <col key={time} />
            ))}
          </colgroup>
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
                    <span className={styles.square} style={{ opacity: opacityOf(value, max) }} />
                    <span className={styles.hidden}>{format(value)}</span>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <td />
              {columns.map((time, at) => (
                <th key={time} scope="col" className={styles.time}>
                  <span className={at % labelEvery === 0 ? undefined : styles.hidden}>
                    {formatTime(time)}
                  </span>
                </th>
              ))}
            </tr>
          </tfoot>
        </table>
      </div>
      <div className={styles.scale} aria-hidden>
        <span>{scale.min}</span>
        {[1, 0.25, 0.5, 0.75, 1].map((share, step) => (
          <span key={step} className={styles.step}>
            <span
              className={styles.square}
              style={{ opacity: step === 0 ? 0 : opacityOf(share * max, max) }}
            />
          </span>
        ))}
        <span>
          {scale.max} ({format(max)})
        </span>
      </div>
    </>
  );
}

// The square root keeps one bad hour from hiding all the others.
function opacityOf(value: number, max: number): number {
  return value === 0 ? 0 : 0.18 + 0.82 * Math.sqrt(value / max);
}
