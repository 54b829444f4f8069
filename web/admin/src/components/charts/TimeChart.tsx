import { useElementSize } from '@mantine/hooks';
import { useState } from 'react';
import styles from './TimeChart.module.css';
import { areaBelow, bandBetween, labelPlaces, pathThrough, ticksTo } from './scale.ts';

export interface Line {
  readonly name: string;
  readonly tone: 'accent' | 'bad' | 'calm' | 'warn';
  readonly values: readonly (number | null)[];
  /** Draws bars instead of a line. */
  readonly bars?: boolean;
  /** Shades the area below the line. */
  readonly filled?: boolean;
  /** Shades the area down to these values. */
  readonly downTo?: readonly (number | null)[];
  /** The values to display, if they differ from the height: of stacked lines, and of lines across gaps. */
  readonly labels?: readonly (number | null)[];
}

interface TimeChartProps {
  readonly label: string;
  readonly times: readonly string[];
  readonly lines: readonly Line[];
  readonly format: (value: number) => string;
  readonly formatTime: (time: string) => string;
  readonly height?: number;
  /** Called with the point that was clicked. */
  readonly onPick?: (index: number) => void;
  /** Called with the first and last point of a drag. */
  readonly onZoom?: (from: number, to: number) => void;
  /** Whole numbers only, on the axis too. */
  readonly whole?: boolean;
}

const left = 56;
const bottom = 22;
const top = 10;

/** Whether a value has no neighbor to draw a line to. */
const alone = (values: readonly (number | null)[], at: number): boolean =>
  (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null;

function labelAt({ labels, values }: Line, at: number, format: (value: number) => string): string {
  const value = labels === undefined ? values[at] : labels[at];
  return value === null || value === undefined ? '–' : format(value);
}

/** Values over time, with the same numbers in a table for screen readers. */
export function TimeChart({
  label,
  times,
  lines,
  format,
  formatTime,
  height = 210,
  whole = false,
  onPick,
  onZoom,
}: TimeChartProps) {
  const { ref, width } = useElementSize();
  const [at, setAt] = useState<number | null>(null);
  const [pressed, setPressed] = useState<number | null>(null);
  const max = Math.max(0, ...lines.flatMap((line) => line.values.map((value) => value ?? 0)));
  const ticks = ticksTo(max, whole);
  const ceiling = ticks.at(-1)!;
  const inner = Math.max(width - left - 8, 10);
  const slot = inner / Math.max(times.length, 1);
  const x = (index: number) => left + slot * (index + 0.5);
  const y = (value: number) => top + (height - top - bottom) * (1 - value / ceiling);
  const indexAt = (event: { readonly nativeEvent: { readonly offsetX: number } }): number | null => {
    const index = Math.floor((event.nativeEvent.offsetX - left) / slot);
    return index >= 0 && index < times.length ? index : null;
  };
  const sweptFrom = pressed !== null && onZoom !== undefined ? pressed : (at ?? 0);
  const labeled = labelPlaces(times.length, Math.floor(inner / 80));
  return (
    <figure className={styles.chart} ref={ref} aria-label={label}>
      <figcaption className={styles.legend}>
        {lines.map((line) => (
          <span key={line.name} className={styles.key} data-tone={line.tone}>
            {line.name}
            {at !== null && <b>{labelAt(line, at, format)}</b>}
          </span>
        ))}
        {at !== null && times[at] !== undefined && (
          <span className={styles.when}>{formatTime(times[at])}</span>
        )}
      </figcaption>
      {width > 0 && (
        <svg
          className={styles.drawing}
          width={width}
          height={height}
          aria-hidden
          data-pressable={onPick !== undefined || onZoom !== undefined || undefined}
          onPointerLeave={() => {
            setAt(null);
            setPressed(null);
          }}
          onPointerMove={(event) => setAt(indexAt(event))}
          onPointerDown={(event) => setPressed(event.button === 0 ? indexAt(event) : null)}
          onPointerUp={(event) => {
            const to = indexAt(event);
            setPressed(null);
            if (pressed === null || to === null) return;
            if (pressed === to) onPick?.(to);
            else onZoom?.(Math.min(pressed, to), Math.max(pressed, to));
          }}
        >
          {ticks.map((tick) => (
            <g key={tick}>
              <line x1={left} x2={width - 8} y1={y(tick)} y2={y(tick)} className={styles.grid} />
              <text x={left - 8} y={y(tick) + 4} className={styles.tick} textAnchor="end">
                {format(tick)}
              </text>
            </g>
          ))}
          {labeled.map((index) => (
            <text
              key={times[index]}
              x={index === 0 ? left : index === times.length - 1 ? width - 8 : x(index)}
              y={height - 5}
              className={styles.tick}
              textAnchor={index === 0 ? 'start' : index === times.length - 1 ? 'end' : 'middle'}
            >
              {formatTime(times[index]!)}
            </text>
          ))}
          {at !== null && (
            <rect
              x={left + slot * Math.min(at, sweptFrom)}
              y={top}
              width={slot * (Math.abs(at - sweptFrom) + 1)}
              height={height - top - bottom}
              className={styles.cursor}
            />
          )}
          {lines.map((line) =>
            line.bars ? (
              <g key={line.name} data-tone={line.tone} className={styles.bars}>
                {line.values.map((value, index) =>
                  value ? (
                    <rect
                      key={times[index]}
                      x={x(index) - Math.max(slot * 0.36, 0.75)}
                      width={Math.max(slot * 0.72, 1.5)}
                      y={y(value)}
                      height={Math.max(height - bottom - y(value), 1)}
                      rx={Math.min(2.5, slot * 0.2)}
                    />
                  ) : null,
                )}
              </g>
            ) : (
              <g key={line.name} data-tone={line.tone}>
                {line.downTo && (
                  <path
                    className={styles.area}
                    d={bandBetween(
                      line.values.map((value, index) => {
                        const lower = line.downTo?.[index] ?? null;
                        return [
                          x(index),
                          value === null ? null : y(value),
                          lower === null ? null : y(lower),
                        ] as const;
                      }),
                    )}
                  />
                )}
                {line.filled && (
                  <path
                    className={styles.area}
                    d={areaBelow(
                      line.values.map((value, index) => [x(index), value === null ? null : y(value)]),
                      height - bottom,
                    )}
                  />
                )}
                <path
                  className={styles.line}
                  d={pathThrough(
                    line.values.map((value, index) => [x(index), value === null ? null : y(value)]),
                  )}
                />
                {line.values.map((value, index) =>
                  value !== null && alone(line.values, index) ? (
                    <circle key={times[index]} className={styles.dot} cx={x(index)} cy={y(value)} r={2} />
                  ) : null,
                )}
                {at !== null && line.values[at] !== null && line.values[at] !== undefined && (
                  <circle className={styles.dot} cx={x(at)} cy={y(line.values[at])} r={3.5} />
                )}
              </g>
            ),
          )}
        </svg>
      )}
      <table>
        <caption>{label}</caption>
        <thead>
          <tr>
            <th>—</th>
            {lines.map((line) => (
              <th key={line.name}>{line.name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.map((time, index) => (
            <tr key={time}>
              <th>{formatTime(time)}</th>
              {lines.map((line) => (
                <td key={line.name}>{labelAt(line, index, format)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}
