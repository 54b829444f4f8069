import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { readSort, type Sort, writeSort } from './sort-rows.ts';

/** How a table is sorted, and which of its columns are hidden. */
export interface TableView {
  readonly sort: Sort | null;
  readonly hidden: readonly string[];
  setSort(sort: Sort | null): void;
  setHidden(hidden: readonly string[]): void;
}

/** A view that is kept in the address, so that it can be linked and survives reloading. */
export function useKeptView(): TableView {
  const [address, setAddress] = useSearchParams();
  const keep = (name: string, value: string) =>
    setAddress(
      (before) => {
        const next = new URLSearchParams(before);
        if (value === '') next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  return {
    sort: readSort(address.get('sort')),
    hidden: address.get('hide')?.split(',') ?? [],
    setSort: (sort) => keep('sort', writeSort(sort)),
    setHidden: (hidden) => keep('hide', hidden.join(',')),
  };
}

/** A view that lasts as long as its table. */
export function useOwnView(): TableView {
  const [sort, setSort] = useState<Sort | null>(null);
  const [hidden, setHidden] = useState<readonly string[]>([]);
  return { sort, hidden, setSort, setHidden };
}
