/** The column that a table is sorted by. */
export interface Sort {
  readonly id: string;
  readonly isDescending: boolean;
}

/** What a column's head does next: its own first direction, then the other, then none. Figures begin with the largest. */
export function nextSort(sort: Sort | null, id: string, isFigure: boolean): Sort | null {
  if (sort?.id !== id) return { id, isDescending: isFigure };
  return sort.isDescending === isFigure ? { id, isDescending: !isFigure } : null;
}

/** The rows in order; those that are equal keep the order they have. */
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
