import { useVirtualizer } from '@tanstack/react-virtual';
import { lazy, Suspense, useEffect, useMemo, useRef, type ReactNode } from 'react';
import { nextSort, sortRows } from './sort-rows.ts';
import { useKeptView, useOwnView, type TableView } from './use-table-view.ts';
import styles from './VirtualTable.module.css';

const ColumnMenu = lazy(() => import('./ColumnMenu.tsx'));

export interface Column<T> {
  readonly id: string;
  readonly name: ReactNode;
  /** A CSS grid track. */
  readonly width: string;
  readonly align?: 'end';
  /** Hidden on phones; elsewhere, it can be hidden. */
  readonly wideOnly?: boolean;
  readonly cell: (row: T) => ReactNode;
  /** Makes the column sortable by this value. */
  readonly sortBy?: (row: T) => number | string;
}

/** How tall rows with a second line are. */
export const twoLineHeight = 54;

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
  /** The name of a row's group; shown above the first row of each, unless the rows are sorted. */
  readonly groupOf?: (row: T) => string;
  /** What is shown in place of a group's name. */
  readonly groupHead?: (group: string) => ReactNode;
  readonly height?: string;
  /** Another value whenever what rows are sorted by may have changed, although the rows did not. */
  readonly sortedWith?: unknown;
}

/** A table that renders only the rows in view, so ten thousand scroll like ten. */
export function VirtualTable<T>(props: VirtualTableProps<T>) {
  return <TableWithView {...props} view={useOwnView()} />;
}

/** The same as the main table of a page: its columns can be chosen, and the address keeps them and the sort order. */
export function PageTable<T>(props: VirtualTableProps<T>) {
  return <TableWithView {...props} view={useKeptView()} choosable />;
}

function TableWithView<T>({
  label,
  rows: given,
  columns: all,
  keyOf,
  onOpen,
  openKey = null,
  onEnd,
  rowHeight = 46,
  groupOf,
  groupHead,
  // As tall as the window allows, below the page header and filters.
  height = 'max(360px, calc(100dvh - 250px))',
  sortedWith,
  view,
  choosable = false,
}: VirtualTableProps<T> & { readonly view: TableView; readonly choosable?: boolean }) {
  const scroller = useRef<HTMLDivElement>(null);
  const { sort, setSort } = view;
  const columns = all.filter((column) => !column.wideOnly || !view.hidden.includes(column.id));
  const sortBy = all.find((column) => column.id === sort?.id)?.sortBy;
  // `columns` is a new array on every render, but its `sortBy` functions only change with `sortedWith`.
  const rows = useMemo(
    () => sortRows(given, sortBy, sort),
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [given, sort?.id, sort?.isDescending, sortedWith],
  );
  const lines = useMemo(
    () => linesOf(rows, sortBy === undefined ? groupOf : undefined),
    // `groupOf` is another function on every render, but does the same.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [rows, groupOf === undefined],
  );
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => (lines[at]?.group === undefined ? rowHeight : groupHeight),
    overscan: 6,
  });
  // Sizes are cached by place, and lines have moved.
  useEffect(() => {
    if (groupOf !== undefined) virtual.measure();
  }, [virtual, lines, groupOf]);
  const drawn = virtual.getVirtualItems();
  const lastDrawn = drawn.at(-1)?.index ?? 0;
  useEffect(() => {
    if (lines.length > 0 && lastDrawn >= lines.length - 20) onEnd?.();
  }, [lastDrawn, lines.length, onEnd]);
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
      {choosable && all.some(isChoosable) && (
        <div className={styles.choose}>
          <Suspense>
            <ColumnMenu columns={all.filter(isChoosable)} view={view} />
          </Suspense>
        </div>
      )}
      <div
        role="table"
        aria-label={label}
        aria-rowcount={lines.length + 1}
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
            const line = lines[index];
            if (line === undefined) return null;
            if (line.group !== undefined)
              return (
                <div
                  key={`group ${line.group}`}
                  role="row"
                  aria-rowindex={index + 2}
                  className={styles.group}
                  style={{ height: groupHeight, transform: `translateY(${start}px)` }}
                >
                  <div role="cell">{groupHead?.(line.group) ?? line.group}</div>
                </div>
              );
            const { row } = line;
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

const groupHeight = 30;

function isChoosable<T>(column: Column<T>): column is Column<T> & { readonly name: string } {
  return column.wideOnly === true && typeof column.name === 'string';
}

/** A row, or the heading of a group of them. */
type Line<T> = { readonly row: T; readonly group?: undefined } | { readonly group: string };

function linesOf<T>(rows: readonly T[], groupOf: ((row: T) => string) | undefined): readonly Line<T>[] {
  let last: string | null = null;
  return rows.flatMap((row): Line<T>[] => {
    const group = groupOf?.(row) ?? null;
    const isNew = group !== null && group !== last;
    last = group;
    return isNew ? [{ group }, { row }] : [{ row }];
  });
}
