import { Badge, Button, Menu, Select, Switch, Text } from '@mantine/core';
import { Activity, Download } from 'lucide-react';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { follow } from '../../api/follow.ts';
import { useGet, usePages } from '../../api/queries.ts';
import type { CallRecord } from '../../api/resources.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import layout from '../../components/Layout.module.css';
import { Failed, Waiting } from '../../components/Loaded.tsx';
import { OutcomeBadge } from '../../components/OutcomeBadge.tsx';
import { Page } from '../../components/Page.tsx';
import { Panel } from '../../components/Panel.tsx';
import { SearchBox } from '../../components/SearchBox.tsx';
import { VirtualTable, type Column } from '../../components/VirtualTable.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { exportCalls } from './export.ts';
import { queryOf, rangesMs, readFilter, writeFilter, type CallFilter } from './filter.ts';

// Calls can come in by the hundred; the page is refreshed at most this often.
const refreshEveryMs = 1_000;

/** Every call, newest first, as they come in. */
export default function Calls() {
  const t = useText();
  const format = useFormats();
  const [, go] = useLocation();
  const [search, setSearch] = useSearchParams();
  const [live, setLive] = useState(true);
  const filter = readFilter(search);
  const setFilter = (changes: Partial<CallFilter>) =>
    setSearch(writeFilter({ ...filter, ...changes }), { replace: true });
  const filterText = search.toString();
  const query = useMemo(() => queryOf(readFilter(new URLSearchParams(filterText)), Date.now()), [filterText]);
  const calls = usePages('/calls', { ...query, limit: 100 });
  useTail(query, live);
  const { hasNextPage, isFetching, fetchNextPage } = calls;
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  const columns: Column<CallRecord>[] = [
    {
      id: 'time',
      name: t('calls.time'),
      width: 'minmax(60px, 84px)',
      cell: (call) => (
        <Text span size="sm" c="dimmed" title={format.moment(call.startedAt)}>
          {Date.now() - Date.parse(call.startedAt) < 86_400_000
            ? format.clock(call.startedAt)
            : format.day(call.startedAt)}
        </Text>
      ),
    },
    {
      id: 'tool',
      name: t('calls.tool'),
      width: 'minmax(88px, 1.4fr)',
      cell: (call) => <Link href={`/calls/${call.id}`}>{call.toolName}</Link>,
    },
    {
      id: 'outcome',
      name: t('calls.outcome'),
      width: 'minmax(84px, 1fr)',
      cell: (call) => <OutcomeBadge outcome={call.outcome} status={call.upstreamStatus} />,
    },
    {
      id: 'server',
      name: t('calls.server'),
      width: 'minmax(70px, .7fr)',
      wideOnly: true,
      cell: (call) => call.server,
    },
    {
      id: 'caller',
      name: t('calls.caller'),
      width: 'minmax(80px, .8fr)',
      wideOnly: true,
      cell: (call) => call.caller,
    },
    {
      id: 'client',
      name: t('calls.client'),
      width: 'minmax(80px, .8fr)',
      wideOnly: true,
      cell: (call) => [call.client, call.clientVersion].filter(Boolean).join(' ') || '–',
    },
    {
      id: 'surface',
      name: t('calls.surface'),
      width: '76px',
      wideOnly: true,
      cell: (call) => <Badge color="gray">{call.surface}</Badge>,
    },
    {
      id: 'size',
      name: t('calls.size'),
      width: '74px',
      align: 'end',
      wideOnly: true,
      cell: (call) => format.bytes(call.replyBytes),
    },
    {
      id: 'duration',
      name: t('calls.duration'),
      width: '62px',
      align: 'end',
      cell: (call) => format.duration(call.durationMs),
    },
  ];
  return (
    <Page
      wide
      title={t('nav.calls')}
      lead={t('calls.lead')}
      actions={
        <>
          <Switch
            label={t('calls.live')}
            checked={live}
            onChange={(event) => setLive(event.currentTarget.checked)}
          />
          <ExportMenu query={query} />
        </>
      }
    >
      <Panel flush>
        <FilterBar filter={filter} onChange={setFilter} total={calls.total} />
        {calls.items === undefined ? (
          calls.error ? (
            <Failed error={calls.error} retry={() => void calls.refetch()} />
          ) : (
            <Waiting rows={10} />
          )
        ) : calls.items.length === 0 ? (
          <EmptyState
            icon={Activity}
            title={filterText === '' ? t('calls.empty') : t('common.nothingFound')}
            {...(filterText === '' && { text: t('calls.emptyText') })}
          />
        ) : (
          <VirtualTable
            label={t('nav.calls')}
            rows={calls.items}
            columns={columns}
            keyOf={(call) => call.id}
            onOpen={(call) => go(`/calls/${call.id}`)}
            onEnd={onEnd}
            rowHeight={42}
          />
        )}
      </Panel>
    </Page>
  );
}

/** Refreshes the list as matching calls are recorded. */
function useTail(query: ReturnType<typeof queryOf>, live: boolean): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (!live) return undefined;
    const { from: _from, to: _to, ...filter } = query;
    let waiting: ReturnType<typeof setTimeout> | undefined;
    const stop = follow('/calls/tail', filter, ({ name }) => {
      if (name !== 'call') return;
      waiting ??= setTimeout(() => {
        waiting = undefined;
        void queries.invalidateQueries({ queryKey: ['/calls'] });
      }, refreshEveryMs);
    });
    return () => {
      stop();
      clearTimeout(waiting);
    };
  }, [queries, query, live]);
}

function FilterBar({
  filter,
  onChange,
  total,
}: {
  filter: CallFilter;
  onChange: (changes: Partial<CallFilter>) => void;
  total: number | undefined;
}) {
  const t = useText();
  const servers = useGet('/servers', { query: { limit: 500 } });
  const active = Object.entries(filter).filter(
    ([name]) => !['text', 'range', 'outcome', 'server', 'surface'].includes(name),
  );
  return (
    <div className={layout.bar}>
      <SearchBox
        label={t('calls.search')}
        value={filter.text ?? ''}
        onChange={(text) => onChange({ text })}
        waitMs={300}
      />
      <Select
        aria-label={t('calls.outcome')}
        placeholder={t('calls.outcome')}
        w={136}
        clearable
        data={[
          { value: 'ok', label: t('calls.ok') },
          { value: 'error', label: t('calls.errors') },
          ...[
            'invalid_arguments',
            'upstream_status',
            'upstream_timeout',
            'upstream_unreachable',
            'rate_limited',
            'credential_missing',
            'login_failed',
            'egress_refused',
            'circuit_open',
            'reply_too_large',
          ].map((value) => ({ value, label: value.replaceAll('_', ' ') })),
        ]}
        value={filter.outcome ?? null}
        onChange={(outcome) => onChange({ outcome: outcome ?? undefined })}
      />
      <Select
        aria-label={t('calls.server')}
        placeholder={t('calls.server')}
        w={136}
        clearable
        data={servers.data?.items.map((server) => server.slug) ?? []}
        value={filter.server ?? null}
        onChange={(server) => onChange({ server: server ?? undefined })}
      />
      <Select
        aria-label={t('calls.surface')}
        placeholder={t('calls.surface')}
        w={116}
        clearable
        data={['mcp', 'rest', 'explorer', 'cli', 'stdio', 'admin']}
        value={filter.surface ?? null}
        onChange={(surface) => onChange({ surface: (surface ?? undefined) as CallFilter['surface'] })}
      />
      <Select
        aria-label={t('common.range')}
        placeholder={t('common.range')}
        w={130}
        clearable
        data={Object.keys(rangesMs).map((value) => ({ value, label: t(`range.${value as '1h'}`) }))}
        value={filter.range ?? null}
        onChange={(range) => onChange({ range: range ?? undefined })}
      />
      {active.map(([name, value]) => (
        <Button
          key={name}
          size="compact-sm"
          variant="light"
          onClick={() => onChange({ [name]: undefined })}
          title={t('calls.dropFilter')}
        >
          {name}: {String(value)} ×
        </Button>
      ))}
      {total !== undefined && (
        <Text size="sm" c="dimmed" ml="auto">
          {t('calls.count', { count: total })}
        </Text>
      )}
    </div>
  );
}

function ExportMenu({ query }: { query: ReturnType<typeof queryOf> }) {
  const t = useText();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<Download size={15} aria-hidden />}>
          {t('calls.export')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => exportCalls(query, 'csv')}>CSV</Menu.Item>
        <Menu.Item onClick={() => exportCalls(query, 'json')}>JSON</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
