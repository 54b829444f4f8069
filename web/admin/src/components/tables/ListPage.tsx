import { Button } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { LucideIcon } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { useText } from '../../i18n/text.tsx';
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
  /** Renders the items that were found: as rows of a list, or as a table. */
  readonly children: (found: readonly T[]) => ReactNode;
  readonly dialogs?: ReactNode;
}

// A few items fit on a screen and need no search field.
const searchFrom = 6;

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
  children,
  dialogs,
}: ListPageProps<T>) {
  return (
    <Page title={title} lead={lead} edits={edits} actions={add}>
      <Panel flush>
        <Loaded query={query}>
          {(all) =>
            all.length === 0 ? (
              <EmptyState {...empty} action={add} />
            ) : (
              <Found things={all} icon={empty.icon} wordsOf={wordsOf} searchLabel={searchLabel}>
                {children}
              </Found>
            )
          }
        </Loaded>
      </Panel>
      {dialogs}
    </Page>
  );
}

function Found<T>({
  things,
  icon,
  wordsOf,
  searchLabel,
  children,
}: Pick<ListPageProps<T>, 'wordsOf' | 'searchLabel' | 'children'> & {
  readonly things: readonly T[];
  readonly icon: LucideIcon;
}) {
  const t = useText();
  const [address, setAddress] = useSearchParams();
  const search = address.get('q') ?? '';
  const setSearch = (text: string) =>
    setAddress(
      (before) => {
        const next = new URLSearchParams(before);
        if (text === '') next.delete('q');
        else next.set('q', text);
        return next;
      },
      { replace: true },
    );
  const found = useMemo(() => {
    const wanted = search.trim().toLowerCase();
    return wanted === '' ? things : things.filter((thing) => wordsOf(thing).toLowerCase().includes(wanted));
  }, [things, search, wordsOf]);
  return (
    <>
      {things.length >= searchFrom && (
        <div className={layout.bar}>
          <SearchBox label={searchLabel} value={search} onChange={setSearch} waitMs={150} />
        </div>
      )}
      {found.length === 0 ? <EmptyState icon={icon} title={t('common.nothingFound')} /> : children(found)}
    </>
  );
}

const initiallyVisible = 100;

/** A list of rows, whose first hundred are shown: thousands would keep the browser busy. */
export function ListRows<T>({ things, row }: { things: readonly T[]; row: (thing: T) => ReactNode }) {
  const t = useText();
  const [visible, setVisible] = useState(initiallyVisible);
  return (
    <>
      <RowList>{things.slice(0, visible).map(row)}</RowList>
      {things.length > visible && (
        <Button m="md" variant="default" onClick={() => setVisible(visible * 4)}>
          {t('common.showMore', { count: things.length - visible })}
        </Button>
      )}
    </>
  );
}
