import { Badge, Button, Group, Text } from '@mantine/core';
import { ChartBar, Wrench } from 'lucide-react';
import { lazy, Suspense, useMemo, useRef, useState } from 'react';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link, useLocation, useSearchParams } from 'wouter';
import { useGet } from '../../api/queries.ts';
import type { ToolLine } from '../../api/resources.ts';
import { RequireRole, useHasRole } from '../../app/account/permissions.tsx';
import { SelectInput } from '../../components/inputs/SelectInput.tsx';
import { EmptyState } from '../../components/feedback/EmptyState.tsx';
import layout from '../../components/Layout.module.css';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { MethodBadge } from '../../components/display/MethodBadge.tsx';
import { Panel } from '../../components/Panel.tsx';
import { SearchBox } from '../../components/inputs/SearchBox.tsx';
import { TwoLines } from '../../components/tables/TwoLines.tsx';
import { useUsage, useUsageColumns } from '../../components/tables/use-usage-columns.tsx';
import { PageTable, twoLineHeight, type Column } from '../../components/tables/VirtualTable.tsx';
import { RowCheckbox, RowSwitch } from '../../components/inputs/RowCheckbox.tsx';
import { useToggle } from '../../editing/use-toggle.ts';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { filterTools, keepPlaces, valuesOf, type ToolFilter } from './filter-tools.ts';
import styles from './ToolTable.module.css';

const BulkBar = lazy(() => import('./BulkBar.tsx'));
const ToolCosts = lazy(() => import('./ToolCosts.tsx'));

// As many results as anyone would look at.
const maxResults = 50;
const maxSearchLength = 2_000;

/** A table of tools to search, filter and toggle; of one API or all of them. */
export function ToolTable({ api }: { api?: string }) {
  const index = useGet('/tool-index', { query: api === undefined ? {} : { api } });
  return (
    <Panel flush>
      <Loaded query={index} rows={10}>
        {({ items, estimatedTokens }) => <Table tools={items} estimatedTokens={estimatedTokens} api={api} />}
      </Loaded>
    </Panel>
  );
}

function Table({
  tools,
  estimatedTokens,
  api,
}: {
  tools: readonly ToolLine[];
  estimatedTokens: number;
  api: string | undefined;
}) {
  const t = useText();
  const format = useFormats();
  const [, go] = useLocation();
  const mayEdit = useHasRole('editor');
  const [filter, setFilter] = useToolFilter();
  const used = useUsage('tool');
  const usage = useUsageColumns<ToolLine>(used, { nameOf: ({ name }) => name });
  const [showsCosts, setShowsCosts] = useState(false);
  const query = filter.search.trim().slice(0, maxSearchLength);
  const search = useGet(
    '/search',
    { query: { query, limit: maxResults, ...(api !== undefined && { api }) } },
    { enabled: query !== '', keep: true },
  );
  const found = useResultsInPlace(query, search);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const shown = useMemo(() => filterTools(tools, filter, found), [tools, filter, found]);
  const tags = useMemo(() => valuesOf(tools.flatMap((tool) => tool.tags)), [tools]);
  const apis = useMemo(() => valuesOf(tools.map((tool) => tool.api)), [tools]);
  const methods = useMemo(() => valuesOf(tools.map((tool) => tool.method)), [tools]);
  if (tools.length === 0)
    return (
      <EmptyState
        icon={Wrench}
        title={t('tools.empty')}
        text={t(api === undefined ? 'tools.emptyText' : 'tools.emptyApiText')}
        action={
          <RequireRole>
            {' '}
            <Button component={Link} href={api === undefined ? '/add' : `/apis/${api}/new-tool`}>
              {t(api === undefined ? 'nav.add' : 'newTool.short')}
            </Button>
          </RequireRole>
        }
      />
    );
  const toggleChosen = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  const allChosen = shown.length > 0 && shown.every((tool) => chosen.has(tool.id));
  const columns: Column<ToolLine>[] = [
    ...(mayEdit
      ? [
          {
            id: 'chosen',
            name: (
              <RowCheckbox
                label={t('tools.selectAll')}
                checked={allChosen}
                some={!allChosen && chosen.size > 0}
                onChange={() => setChosen(allChosen ? new Set() : new Set(shown.map((tool) => tool.id)))}
              />
            ),
            width: '22px',
            cell: (tool) => (
              <RowCheckbox
                label={t('tools.select', { name: tool.name })}
                checked={chosen.has(tool.id)}
                onChange={() => toggleChosen(tool.id)}
              />
            ),
          } satisfies Column<ToolLine>,
        ]
      : []),
    {
      id: 'method',
      name: t('common.method'),
      width: '56px',
      wideOnly: true,
      sortBy: (tool) => tool.method,
      cell: (tool) => <MethodBadge method={tool.method} />,
    },
    {
      id: 'name',
      name: t('common.name'),
      width: 'minmax(130px, 2fr)',
      sortBy: (tool) => tool.name,
      cell: (tool) => (
        <TwoLines
          first={
            <>
              <Link href={`/tools/${tool.id}`}>{tool.name}</Link>{' '}
              {tool.deprecated && <Badge color="gray">{t('tools.deprecated')}</Badge>}
              {tool.pendingChange && <Badge color="orange">{t('tools.pending')}</Badge>}
            </>
          }
          second={tool.summary}
        />
      ),
    },
    api === undefined
      ? {
          id: 'api',
          name: t('calls.api'),
          width: 'minmax(70px, .5fr)',
          wideOnly: true,
          sortBy: (tool) => tool.api,
          cell: (tool) => <Link href={`/apis/${tool.api}`}>{tool.api}</Link>,
        }
      : {
          id: 'path',
          name: t('common.path'),
          width: 'minmax(80px, 1fr)',
          wideOnly: true,
          sortBy: (tool) => tool.path,
          cell: (tool) => (
            <span className={styles.path} title={tool.path}>
              {tool.path}
            </span>
          ),
        },
    ...usage,
    {
      id: 'tokens',
      name: t('tools.tokens'),
      width: '58px',
      align: 'end' as const,
      sortBy: (tool) => tool.estimatedTokens,
      cell: (tool) => format.compact(tool.estimatedTokens),
    },
    { id: 'enabled', name: t('common.on'), width: '42px', cell: (tool) => <EnabledSwitch tool={tool} /> },
  ];
  return (
    <>
      <div className={layout.bar}>
        <SearchBox
          label={t('tools.search')}
          value={filter.search}
          onChange={(typed) => setFilter({ ...filter, search: typed })}
        />
        {api === undefined && apis.length > 1 && (
          <SelectInput
            name={t('calls.api')}
            w={140}
            options={apis}
            value={filter.api}
            onChange={(wanted) => setFilter({ ...filter, api: wanted })}
          />
        )}
        {tags.length > 0 && (
          <SelectInput
            name={t('common.tag')}
            w={150}
            options={tags.slice(0, 500)}
            value={filter.tag}
            onChange={(tag) => setFilter({ ...filter, tag })}
          />
        )}
        <SelectInput
          name={t('common.method')}
          w={116}
          options={methods}
          value={filter.method}
          onChange={(method) => setFilter({ ...filter, method })}
        />
        <SelectInput
          name={t('common.status')}
          w={140}
          options={[
            { value: 'enabled', label: t('common.enabled') },
            { value: 'disabled', label: t('common.disabled') },
            { value: 'pending', label: t('tools.pending') },
          ]}
          value={filter.state}
          onChange={(state) => setFilter({ ...filter, state })}
        />
        <Group ml="auto" gap={6}>
          <Text size="sm" c="dimmed">
            {t('tools.shown', {
              count: shown.length,
              tokens: t('common.tokens', {
                count: format.compact(
                  shown.length === tools.length
                    ? estimatedTokens
                    : shown.reduce((sum, tool) => sum + tool.estimatedTokens, 0),
                ),
              }),
            })}
          </Text>
          <Button
            variant="default"
            size="xs"
            leftSection={<ChartBar size={15} aria-hidden />}
            aria-expanded={showsCosts}
            onClick={() => setShowsCosts(!showsCosts)}
          >
            {t('cost.shares')}
          </Button>
        </Group>
      </div>
      <Suspense>
        {showsCosts && (
          <ToolCosts
            tools={shown}
            filter={filter}
            byApi={api === undefined}
            onFilter={(change) => setFilter({ ...filter, ...change })}
          />
        )}
      </Suspense>
      <Suspense>
        {chosen.size > 0 && (
          <BulkBar chosen={tools.filter((tool) => chosen.has(tool.id))} onDone={() => setChosen(new Set())} />
        )}
      </Suspense>
      {shown.length === 0 ? (
        <EmptyState icon={Wrench} title={t('common.nothingFound')} />
      ) : (
        <PageTable
          label={t('nav.tools')}
          sortedWith={used}
          rowHeight={twoLineHeight}
          rows={shown}
          columns={columns}
          keyOf={(tool) => tool.id}
          onOpen={(tool) => go(`/tools/${tool.id}`)}
        />
      )}
    </>
  );
}

const states = ['enabled', 'disabled', 'pending'] as const;
const filterNames = { search: 'q', api: 'api', tag: 'tag', method: 'method', state: 'state' } as const;

/** The filters of the table, kept in the URL so that they can be linked. */
function useToolFilter(): [ToolFilter, (filter: ToolFilter) => void] {
  const [address, setAddress] = useSearchParams();
  const filter: ToolFilter = {
    search: address.get(filterNames.search) ?? '',
    api: address.get(filterNames.api),
    tag: address.get(filterNames.tag),
    method: address.get(filterNames.method),
    state: states.find((state) => state === address.get(filterNames.state)) ?? null,
  };
  const set = (wanted: ToolFilter) =>
    setAddress(
      (before) => {
        const next = new URLSearchParams(before);
        for (const [name, parameter] of Object.entries(filterNames)) {
          const value = wanted[name as keyof ToolFilter];
          if (value) next.set(parameter, value);
          else next.delete(parameter);
        }
        return next;
      },
      { replace: true },
    );
  return [filter, set];
}

/** The ids that a search found, each in the place where it first appeared for this query. */
function useResultsInPlace(
  query: string,
  { data, isPlaceholderData }: UseQueryResult<{ results: { id: string }[] }>,
): readonly string[] {
  const shown = useRef<{ query: string; ids: readonly string[] }>({ query: '', ids: [] });
  return useMemo(() => {
    if (query === '' || data === undefined) return [];
    const ids = data.results.map(({ id }) => id);
    // Results of the previous query, until those of this one arrive.
    if (isPlaceholderData) return ids;
    shown.current = { query, ids: shown.current.query === query ? keepPlaces(shown.current.ids, ids) : ids };
    return shown.current.ids;
  }, [query, data, isPlaceholderData]);
}

function EnabledSwitch({ tool }: { tool: ToolLine }) {
  const t = useText();
  const mayEdit = useHasRole('editor');
  const toggle = useToggle('/tools/:tool', '/tool-index', tool, { tool: tool.id });
  return (
    <RowSwitch
      label={t('common.enabledOf', { name: tool.name })}
      checked={tool.enabled}
      onChange={toggle}
      disabled={!mayEdit}
    />
  );
}
