import { Button } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { LucideIcon } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
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
  /** Adds one; also offered where there is none yet. */
  readonly add?: ReactNode;
  readonly query: Pick<UseQueryResult<T[]>, 'data' | 'error' | 'refetch'>;
  readonly empty: { readonly icon: LucideIcon; readonly title: string; readonly text?: string };
  /** What a search looks in. */
  readonly wordsOf: (thing: T) => string;
  readonly searchLabel: string;
  /** Draws one as a `Row`. */
  readonly row: (thing: T) => ReactNode;
  /** Dialogs. */
  readonly children?: ReactNode;
}

// A few fit on a screen and need no search field; thousands would keep the browser busy.
const searchFrom = 6;
const shownAtFirst = 100;

/** A page that lists things of one kind, searchable once there are more than a few. */
export function ListPage<T>({
  title,
  lead,
  edits,
  add,
  query,
  empty,
  wordsOf,
  searchLabel,
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
              <Rows things={all} icon={empty.icon} wordsOf={wordsOf} searchLabel={searchLabel} row={row} />
            )
          }
        </Loaded>
      </Panel>
      {children}
    </Page>
  );
}

function Rows<T>({
  things,
  icon,
  wordsOf,
  searchLabel,
  row,
}: Pick<ListPageProps<T>, 'wordsOf' | 'searchLabel' | 'row'> & {
  readonly things: readonly T[];
  readonly icon: LucideIcon;
}) {
  const t = useText();
  const [search, setSearch] = useState('');
  const [most, setMost] = useState(shownAtFirst);
  const found = useMemo(() => {
    const wanted = search.trim().toLowerCase();
    return wanted === '' ? things : things.filter((thing) => wordsOf(thing).toLowerCase().includes(wanted));
  }, [things, search, wordsOf]);
  return (
    <>
      {things.length >= searchFrom && (
        <div className={layout.bar}>
          <SearchBox label={searchLabel} value={search} onChange={setSearch} />
        </div>
      )}
      <RowList>{found.slice(0, most).map(row)}</RowList>
      {found.length === 0 && <EmptyState icon={icon} title={t('common.nothingFound')} />}
      {found.length > most && (
        <Button m="md" variant="default" onClick={() => setMost(most * 4)}>
          {t('common.showMore', { count: found.length - most })}
        </Button>
      )}
    </>
  );
}
