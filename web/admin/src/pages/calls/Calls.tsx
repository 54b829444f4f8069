import { Button, Group, Loader, Switch, Text } from '@mantine/core';
import { Activity, ArrowUp, Download } from 'lucide-react';
import { useQueryClient } from '@tanstack/react-query';
import { useMediaQuery } from '@mantine/hooks';
import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { download } from '../../api/download.ts';
import { follow } from '../../api/follow.ts';
import { usePages } from '../../api/queries.ts';
import type { CallRecord } from '../../api/resources.ts';
import type { ReplyOf, RouteAt } from '../../api/routes.ts';
import { urlFor } from '../../api/url-for.ts';
import { ActionMenu } from '../../components/ActionMenu.tsx';
import { EmptyState } from '../../components/feedback/EmptyState.tsx';
import { LoadFailure, LoadingRows } from '../../components/feedback/Loaded.tsx';
import { toastProblem } from '../../components/feedback/toasts.ts';
import { MiddleEllipsis } from '../../components/display/MiddleEllipsis.tsx';
import { OutcomeBadge } from '../../components/display/OutcomeBadge.tsx';
import { Page } from '../../components/Page.tsx';
import { Panel } from '../../components/Panel.tsx';
import { TwoLines } from '../../components/tables/TwoLines.tsx';
import { PageTable, twoLineHeight, type Column } from '../../components/tables/VirtualTable.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { onePage, queryOf, readFilter, writeFilter, type CallFilter } from './filter.ts';
import { FilterBar } from './FilterBar.tsx';
import { SavedViews } from './SavedViews.tsx';
import { VolumeStrip } from './VolumeStrip.tsx';
import styles from './Calls.module.css';

const CallPanel = lazy(() => import('./CallPanel.tsx'));

// Calls can arrive by the hundred; the list refreshes at most this often.
const refreshEveryMs = 1_000;

/** All calls, newest first, updated live. */
export default function Calls() {
  const t = useText();
  const format = useFormats();
  const [, go] = useLocation();
  const [search, setSearch] = useSearchParams();
  const [live, setLive] = useState(true);
  const filter = readFilter(search);
  // The address of these calls, with the columns as they are.
  const addressOf = (wanted: CallFilter) => {
    const next = writeFilter(wanted);
    const hidden = search.get('hide');
    if (hidden !== null) next.set('hide', hidden);
    return next;
  };
  const setFilter = (changes: Partial<CallFilter>) =>
    setSearch(addressOf({ ...filter, ...changes }), { replace: true });
  const openId = search.get('call');
  const isWide = useMediaQuery('(min-width: 1100px)') ?? false;
  const show = (id: string | null) => {
    const next = addressOf(filter);
    if (id !== null) next.set('call', id);
    setSearch(next, { replace: true });
  };
  const filterText = writeFilter(filter).toString();
  const query = useMemo(() => queryOf(readFilter(new URLSearchParams(filterText)), Date.now()), [filterText]);
  const calls = usePages('/calls', { ...query, ...onePage });
  const queries = useQueryClient();
  const pages = calls.data?.pages as unknown as readonly ReplyOf<RouteAt<'GET', '/calls'>>[] | undefined;
  const arrived = useTail(query, live && filter.to === undefined, (pages?.length ?? 0) <= 1);
  const stoppedAt = pages?.at(-1)?.searchedBackTo ?? null;
  const { hasNextPage, isFetching, fetchNextPage } = calls;
  // A search that stopped early continues on click, not on scroll.
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetching && stoppedAt === null) void fetchNextPage();
  }, [hasNextPage, isFetching, stoppedAt, fetchNextPage]);
  // How many calls were found when the search was continued. It stops at the next match or the last record.
  const [searchingFrom, setSearchingFrom] = useState<number | null>(null);
  const found = calls.items?.length ?? 0;
  const searching = searchingFrom !== null && searchingFrom === found && stoppedAt !== null;
  useEffect(() => {
    if (searching && !isFetching) void fetchNextPage();
  }, [searching, isFetching, fetchNextPage]);
  useEffect(() => setSearchingFrom(null), [query]);
  const first = pages?.[0];
  const count =
    first === undefined || (first.total === 0 && !first.totalIsExact)
      ? undefined
      : first.totalIsExact
        ? t('calls.count', { count: first.total })
        : t('calls.countAtLeast', { count: format.number(first.total) });
  const panelId = isWide ? openId : null;
  const move = (by: 1 | -1) => {
    const at = calls.items?.findIndex(({ id }) => id === panelId) ?? -1;
    const next = calls.items?.[at + by];
    if (at >= 0 && next !== undefined) show(next.id);
  };
  const columns: Column<CallRecord>[] = [
    {
      id: 'time',
      name: t('calls.time'),
      width: '68px',
      cell: (call) => (
        <Text span size="sm" c="dimmed" title={format.moment(call.startedAt)}>
          {format.clock(call.startedAt)}
        </Text>
      ),
    },
    {
      id: 'tool',
      name: t('calls.tool'),
      width: 'minmax(110px, 2.4fr)',
      cell: (call) => (
        <TwoLines
          first={
            <Link href={`/calls/${call.id}`}>
              <MiddleEllipsis text={call.toolName || t('calls.noTool')} />
            </Link>
          }
          {...snippetOf(call)}
        />
      ),
    },
    {
      id: 'outcome',
      name: t('calls.outcome'),
      width: 'minmax(110px, 1.1fr)',
      cell: (call) => <OutcomeBadge outcome={call.outcome} status={call.upstreamStatus} />,
    },
    {
      id: 'server',
      name: t('calls.server'),
      width: 'minmax(80px, .8fr)',
      wideOnly: true,
      cell: (call) => <TwoLines first={call.server} second={call.surface} />,
    },
    {
      id: 'caller',
      name: t('calls.caller'),
      width: 'minmax(90px, 1fr)',
      wideOnly: true,
      cell: (call) => (
        <TwoLines first={call.caller} second={[call.client, call.clientVersion].filter(Boolean).join(' ')} />
      ),
    },
    {
      id: 'tokens',
      name: t('tools.tokens'),
      width: '66px',
      align: 'end',
      wideOnly: true,
      cell: (call) => (call.message === null ? format.compact(call.readTokens ?? call.outputTokens) : '–'),
    },
    {
      id: 'size',
      name: t('calls.size'),
      width: '70px',
      align: 'end',
      wideOnly: true,
      cell: (call) => (call.upstreamStatus === null ? '–' : format.bytes(call.replyBytes)),
    },
    {
      id: 'duration',
      name: t('calls.took'),
      width: '64px',
      align: 'end',
      wideOnly: true,
      cell: (call) => format.duration(call.durationMs),
    },
  ];
  return (
    <Page
      wide
      title={t('nav.calls')}
      lead={t('calls.lead')}
      actions={
        <Group gap="md">
          <Switch
            label={t('calls.live')}
            checked={live}
            onChange={(event) => setLive(event.currentTarget.checked)}
          />
          <SavedViews filter={filter} onShow={(view) => setSearch(view, { replace: false })} />
          <ExportMenu query={query} />
        </Group>
      }
    >
      <div className={panelId === null ? undefined : styles.split}>
        <Panel flush>
          <FilterBar filter={filter} onChange={setFilter} count={count} />
          <VolumeStrip filter={filter} onChange={setFilter} />
          {arrived > 0 && (
            <div className={styles.arrived}>
              <Button
                variant="light"
                size="compact-sm"
                leftSection={<ArrowUp size={14} aria-hidden />}
                onClick={() => void queries.resetQueries({ queryKey: ['/calls'] })}
              >
                {t('calls.arrived', { count: arrived })}
              </Button>
            </div>
          )}
          {calls.items === undefined ? (
            calls.error ? (
              <LoadFailure error={calls.error} retry={() => void calls.refetch()} />
            ) : (
              <LoadingRows rows={10} />
            )
          ) : calls.items.length === 0 && stoppedAt === null ? (
            <EmptyState
              icon={Activity}
              title={filterText === '' ? t('calls.empty') : t('common.nothingFound')}
              {...(filterText === '' && { text: t('calls.emptyText') })}
            />
          ) : (
            <PageTable
              label={t('nav.calls')}
              rows={calls.items}
              columns={panelId === null ? columns : columns.filter((column) => !column.wideOnly)}
              keyOf={(call) => call.id}
              onOpen={(call) => (isWide ? show(call.id) : go(`/calls/${call.id}`))}
              openKey={panelId}
              onEnd={onEnd}
              rowHeight={twoLineHeight}
              height="max(360px, calc(100dvh - 360px))"
              groupOf={(call) => format.day(call.startedAt)}
            />
          )}
          {stoppedAt !== null && (
            <div className={styles.stopped} role="status">
              <Text size="sm" c="dimmed" flex="1 1 240px">
                {t(calls.items?.length === 0 ? 'calls.stoppedEmpty' : 'calls.stopped', {
                  time: format.moment(stoppedAt),
                })}
              </Text>
              <Button variant="light" size="xs" onClick={() => setSearchingFrom(searching ? null : found)}>
                {searching ? t('calls.stopSearch') : t('calls.continueSearch')}
              </Button>
              {searching && <Loader size="xs" aria-hidden />}
            </div>
          )}
        </Panel>
        {panelId !== null && (
          <Suspense>
            <CallPanel id={panelId} onMove={move} onClose={() => show(null)} />
          </Suspense>
        )}
      </div>
    </Page>
  );
}

/** What a call was about: the error, or what the model sent. */
function snippetOf({ message, outcome, arguments: given }: CallRecord) {
  if (message !== null && outcome !== 'waiting') return { second: message.split('\n', 1)[0]!.slice(0, 200) };
  return { second: given === '{}' ? null : given?.slice(0, 200), mono: true };
}

/** Refreshes the list as matching calls are recorded. Once more than one page is shown, it only counts them. */
function useTail(query: ReturnType<typeof queryOf>, live: boolean, atTop: boolean) {
  const queries = useQueryClient();
  const [arrived, setArrived] = useState(0);
  useEffect(() => {
    if (!live) return undefined;
    const { from: _from, to: _to, ...filter } = query;
    let waiting: ReturnType<typeof setTimeout> | undefined;
    let seen = 0;
    const stop = follow(
      '/calls/tail',
      filter,
      ({ name }) => {
        if (name !== 'call') return;
        seen += 1;
        waiting ??= setTimeout(() => {
          waiting = undefined;
          if (atTop) void queries.invalidateQueries({ queryKey: ['/calls'] });
          else setArrived((before) => before + seen);
          seen = 0;
        }, refreshEveryMs);
      },
      () => {
        if (atTop) void queries.invalidateQueries({ queryKey: ['/calls'] });
      },
    );
    return () => {
      stop();
      clearTimeout(waiting);
      setArrived(0);
    };
  }, [queries, query, live, atTop]);
  return arrived;
}

function ExportMenu({ query }: { query: ReturnType<typeof queryOf> }) {
  const t = useText();
  return (
    <ActionMenu
      button={
        <Button variant="default" leftSection={<Download size={15} aria-hidden />}>
          {t('calls.export')}
        </Button>
      }
      actions={[
        { name: 'CSV', onChoose: () => exportCalls(query, 'csv') },
        { name: 'JSON', onChoose: () => exportCalls(query, 'json') },
        { name: t('calls.exportLines'), onChoose: () => exportCalls(query, 'ndjson') },
      ]}
    />
  );
}

/** Downloads all matching calls. */
function exportCalls(query: ReturnType<typeof queryOf>, format: 'csv' | 'json' | 'ndjson'): void {
  const url = `/api/v1${urlFor('/calls/export', {}, { ...query, format })}`;
  download(url, `handrail-calls.${format}`).catch(toastProblem);
}
