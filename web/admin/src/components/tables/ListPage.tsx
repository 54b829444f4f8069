import { Button } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { LucideIcon } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { useText } from '../../i18n/text.tsx';
import { type Usage, useUsage } from '../display/UsageView.tsx';
import { SelectInput } from '../inputs/SelectInput.tsx';
import { EmptyState } from '../feedback/EmptyState.tsx';
import layout from '../Layout.module.css';
import { Loaded } from '../feedback/Loaded.tsx';
import { Page } from '../Page.tsx';
import { Panel } from '../Panel.tsx';
import { RowList } from './RowList.tsx';
import { SearchBox } from '../inputs/SearchBox.tsx';

interface ListPageProps<T> {
  readonly title: string;
  readonly lead: string;
  readonly edits: 'editor' | 'owner';
  /** Adds an item; also offered while the list is empty. */
  readonly add?: ReactNode;
  readonly query: Pick<UseQueryResult<T[]>, 'data' | 'error' | 'refetch'>;
  readonly empty: { readonly icon: LucideIcon; readonly title: string; readonly text?: string };
  /** The text that a search looks in. */
  readonly wordsOf: (thing: T) => string;
  readonly searchLabel: string;
  /** How to find each item's usage, for sorting the list and showing it in each row. */
  readonly usage?: {
    readonly by: Parameters<typeof useUsage>[0];
    readonly nameOf: (thing: T) => string;
  };
  /** Renders an item as a `Row`. */
  readonly row: (thing: T, usage: Usage | null | undefined) => ReactNode;
  /** Dialogs. */
  readonly children?: ReactNode;
}

// A few items fit on a screen and need no search field; thousands would keep the browser busy.
const searchFrom = 6;
const initiallyVisible = 100;

/** A page that lists items of one kind, with a search field once there are more than a few. */
export function ListPage<T>({
  title,
  lead,
  edits,
  add,
  query,
  empty,
  wordsOf,
  searchLabel,
  usage,
  row,
  children,
}: ListPageProps<T>) {
  return (
    <Page title={title} lead={lead} edits={edits} actions={add}>
      <Panel flush>
        <Loaded query={query}>
          {(all) =>
            all.length === 0 ? (
              <EmptyState {...empty} action={add} />
            ) : (
              <UsedRows
                things={all}
                icon={empty.icon}
                wordsOf={wordsOf}
                searchLabel={searchLabel}
                usage={usage}
                row={row}
              />
            )
          }
        </Loaded>
      </Panel>
      {children}
    </Page>
  );
}

type RowsProps<T> = Pick<ListPageProps<T>, 'wordsOf' | 'searchLabel' | 'row'> & {
  readonly things: readonly T[];
  readonly icon: LucideIcon;
};

function UsedRows<T>({ usage, ...rows }: RowsProps<T> & { readonly usage: ListPageProps<T>['usage'] }) {
  return usage === undefined ? (
    <Rows {...rows} usedBy={null} />
  ) : (
    <RowsWithUsage {...rows} by={usage.by} nameOf={usage.nameOf} />
  );
}

function RowsWithUsage<T>({ by, nameOf, ...rows }: RowsProps<T> & NonNullable<ListPageProps<T>['usage']>) {
  const used = useUsage(by);
  return <Rows {...rows} usedBy={(thing) => used(nameOf(thing))} />;
}

const orders: Readonly<Record<string, (usage: Usage) => number | string>> = {
  calls: ({ calls }) => calls,
  errors: ({ errors }) => errors,
  p95: ({ p95Ms }) => p95Ms ?? -1,
  used: ({ lastUsed }) => lastUsed,
};

/** Highest usage first. Items without usage come last, in their original order. */
function ordered<T>(
  things: readonly T[],
  order: string | null,
  usedBy: ((thing: T) => Usage | null | undefined) | null,
): readonly T[] {
  const valueOf = order === null ? undefined : orders[order];
  if (valueOf === undefined || usedBy === null) return things;
  const value = (thing: T) => {
    const usage = usedBy(thing);
    return usage ? valueOf(usage) : null;
  };
  return things.toSorted((a, b) => {
    const [one, other] = [value(a), value(b)];
    if (one === other) return 0;
    if (one === null) return 1;
    if (other === null) return -1;
    return one < other ? 1 : -1;
  });
}

function Rows<T>({
  things,
  icon,
  wordsOf,
  searchLabel,
  usedBy,
  row,
}: RowsProps<T> & { readonly usedBy: ((thing: T) => Usage | null | undefined) | null }) {
  const t = useText();
  const [address, setAddress] = useSearchParams();
  const search = address.get('q') ?? '';
  const order = address.get('sort');
  const keep = (name: string, value: string | null) =>
    setAddress(
      (before) => {
        const next = new URLSearchParams(before);
        if (value === null || value === '') next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  const [visible, setVisible] = useState(initiallyVisible);
  const found = useMemo(() => {
    const wanted = search.trim().toLowerCase();
    return wanted === '' ? things : things.filter((thing) => wordsOf(thing).toLowerCase().includes(wanted));
  }, [things, search, wordsOf]);
  const shown = ordered(found, order, usedBy).slice(0, visible);
  return (
    <>
      {things.length >= searchFrom && (
        <div className={layout.bar}>
          <SearchBox label={searchLabel} value={search} onChange={(value) => keep('q', value)} waitMs={150} />
          {usedBy !== null && (
            <SelectInput<string>
              name={t('usage.sort')}
              w={150}
              options={Object.keys(orders).map((value) => ({
                value,
                label: t(`usage.sort.${value as 'calls'}`),
              }))}
              value={order}
              onChange={(value) => keep('sort', value)}
            />
          )}
        </div>
      )}
      <RowList>{shown.map((thing) => row(thing, usedBy?.(thing)))}</RowList>
      {found.length === 0 && <EmptyState icon={icon} title={t('common.nothingFound')} />}
      {found.length > visible && (
        <Button m="md" variant="default" onClick={() => setVisible(visible * 4)}>
          {t('common.showMore', { count: found.length - visible })}
        </Button>
      )}
    </>
  );
}
