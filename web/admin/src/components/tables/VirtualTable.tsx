import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { nextSort, sortRows, type Sort } from './sort-rows.ts';
import styles from './VirtualTable.module.css';

export interface Column<T> {
  readonly id: string;
  readonly name: ReactNode;
  /** A CSS grid track. */
  readonly width: string;
  readonly align?: 'end';
  /** Hidden on phones. */
  readonly wideOnly?: boolean;
  readonly cell: (row: T) => ReactNode;
  /** Makes the column sortable by this value. */
  readonly sortBy?: (row: T) => number | string;
}

interface VirtualTableProps<T> {
  readonly label: string;
  readonly rows: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T) => string;
  readonly onOpen?: (row: T) => void;
  /** The key of the row that is open elsewhere on the page. */
  readonly openKey?: string | null;
  readonly onEnd?: () => void;
  readonly rowHeight?: number;
  readonly height?: string;
}

/** A table that renders only the rows in view, so ten thousand scroll like ten. */
export function VirtualTable<T>({
  label,
  rows: given,
  columns,
  keyOf,
  onOpen,
  openKey = null,
  onEnd,
  rowHeight = 46,
  // As tall as the window allows, below the page header and filters.
  height = 'max(360px, calc(100dvh - 250px))',
}: VirtualTableProps<T>) {
  const scroller = useRef<HTMLDivElement>(null);
  const [sort, setSort] = useState<Sort | null>(null);
  const sortBy = columns.find((column) => column.id === sort?.id)?.sortBy;
  // `columns` is a new array on every render, but its `sortBy` functions never change.
  // oxlint-disable-next-line react-hooks/exhaustive-deps
  const rows = useMemo(() => sortRows(given, sortBy, sort), [given, sort]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 6,
  });
  const drawn = virtual.getVirtualItems();
  const lastDrawn = drawn.at(-1)?.index ?? 0;
  useEffect(() => {
    if (rows.length > 0 && lastDrawn >= rows.length - 20) onEnd?.();
  }, [lastDrawn, rows.length, onEnd]);
  const wide = columns.map((column) => column.width).join(' ');
  const narrow = columns
    .filter((column) => !column.wideOnly)
    .map((column) => column.width)
    .join(' ');
  return (
    <div
      ref={scroller}
      className={styles.scroller}
      style={{ maxHeight: height }}
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      <div
        role="table"
        aria-label={label}
        aria-rowcount={rows.length + 1}
        className={styles.table}
        style={{ '--wide': wide, '--narrow': narrow } as React.CSSProperties}
      >
        <div role="rowgroup" className={styles.head}>
          <div role="row" className={styles.row} aria-rowindex={1}>
            {columns.map((column) => (
              <div
                key={column.id}
                role="columnheader"
                className={styles.cell}
                data-align={column.align}
                data-wide={column.wideOnly || undefined}
                {...(column.sortBy && {
                  'aria-sort':
                    sort?.id === column.id ? (sort.isDescending ? 'descending' : 'ascending') : 'none',
                })}
              >
                {column.sortBy ? (
                  <button
                    type="button"
                    className={styles.sort}
                    onClick={() => setSort(nextSort(sort, column.id, column.align === 'end'))}
                  >
                    {column.name}
                    <span aria-hidden>{sort?.id === column.id ? (sort.isDescending ? ' ↓' : ' ↑') : ''}</span>
                  </button>
                ) : (
                  column.name
                )}
              </div>
            ))}
          </div>
        </div>
        <div role="rowgroup" className={styles.body} style={{ height: virtual.getTotalSize() }}>
          {drawn.map(({ index, start, key }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <div
                key={keyOf(row) || key}
                role="row"
                aria-rowindex={index + 2}
                className={styles.row}
                data-open={onOpen ? true : undefined}
                aria-current={openKey !== null && keyOf(row) === openKey ? true : undefined}
                style={{ height: rowHeight, transform: `translateY(${start}px)` }}
                onClick={(event) => {
                  if (onOpen && !(event.target as HTMLElement).closest('a,button,input,label')) onOpen(row);
                }}
              >
                {columns.map((column) => (
                  <div
                    key={column.id}
                    role="cell"
                    className={styles.cell}
                    data-align={column.align}
                    data-wide={column.wideOnly || undefined}
                  >
                    {column.cell(row)}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
