/** The column that a table is sorted by. */
export interface Sort {
  readonly id: string;
  readonly isDescending: boolean;
}

/** A sort order as it is kept in an address: `-calls` sorts by calls, largest first. */
export function readSort(text: string | null): Sort | null {
  if (text === null || text === '') return null;
  return text.startsWith('-') ? { id: text.slice(1), isDescending: true } : { id: text, isDescending: false };
}

export function writeSort(sort: Sort | null): string {
  return sort === null ? '' : `${sort.isDescending ? '-' : ''}${sort.id}`;
}

/**
 * The next sort order when a column header is clicked: its default direction, the opposite, then none. Numbers start
 * with the largest.
 */
export function nextSort(sort: Sort | null, id: string, isNumeric: boolean): Sort | null {
  if (sort?.id !== id) return { id, isDescending: isNumeric };
  return sort.isDescending === isNumeric ? { id, isDescending: !isNumeric } : null;
}

/** The sorted rows. The sort is stable. */
export function sortRows<T>(
  rows: readonly T[],
  sortBy: ((row: T) => number | string) | undefined,
  sort: Sort | null,
): readonly T[] {
  if (sortBy === undefined || sort === null) return rows;
  const turn = sort.isDescending ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [a, b] = [sortBy(one), sortBy(other)];
    return a === b ? 0 : (a < b ? -1 : 1) * turn;
  });
}
