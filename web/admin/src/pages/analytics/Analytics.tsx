import { Button, Group, SegmentedControl, UnstyledButton } from '@mantine/core';
import { ArrowRight, ChartNoAxesCombined, CircleCheck, X } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { useGet } from '../../api/queries.ts';
import type { ReplyOf, RouteAt } from '../../api/routes.ts';
import { HeatMap } from '../../components/charts/HeatMap.tsx';
import { successRate } from '../../components/display/success-rate.ts';
import { callsBetween, type CallFilter } from '../calls/filter.ts';
import { FaultsPanel } from './FaultsPanel.tsx';
import { bridge } from '../../components/charts/scale.ts';
import { TimeChart } from '../../components/charts/TimeChart.tsx';
import { SelectInput } from '../../components/inputs/SelectInput.tsx';
import { EmptyState } from '../../components/feedback/EmptyState.tsx';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { Page } from '../../components/Page.tsx';
import { Panel } from '../../components/Panel.tsx';
import { VirtualTable, type Column } from '../../components/tables/VirtualTable.tsx';
import { Stat, Stats } from '../../components/display/Stat.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import styles from './Analytics.module.css';
import { CallerToolPivot } from './CallerToolPivot.tsx';
import { CostlyTools } from './CostlyTools.tsx';
import { ReplySuggestions } from './ReplySuggestions.tsx';
import { changeFrom } from './change-from.ts';
import { analyticsView, groupings, ranges, type Grouping, type Range } from './view.ts';

type Report = ReplyOf<RouteAt<'GET', '/analytics'>>;

/** Call volume, latency, errors and tokens, by tool, server, caller, client or outcome. */
export default function Analytics() {
  const t = useText();
  const [search, setSearch] = useSearchParams();
  const view = analyticsView(search);
  const { range, by, name = null } = view;
  const set = (changes: { range?: Range; by?: Grouping; name?: string | null }) => {
    const next = { range, by, name, ...changes };
    setSearch(
      { range: next.range, by: next.by, ...(next.name !== null && { name: next.name }) },
      { replace: true },
    );
  };
  const report = useGet(
    '/analytics',
    { query: view },
    { everyMs: range === '15m' || range === '1h' ? 10_000 : 60_000, keep: true },
  );
  return (
    <Page
      wide
      title={t('nav.analytics')}
      lead={`${t('analytics.lead')} ${t('analytics.pressLead')}`}
      actions={
        <>
          <SelectInput<Grouping>
            name={t('analytics.by')}
            required
            w={150}
            options={groupings.map((value) => ({ value, label: t(`analytics.by.${value}`) }))}
            value={by}
            onChange={(value) => value && set({ by: value, name: null })}
          />
          <SegmentedControl
            size="xs"
            aria-label={t('common.range')}
            value={range}
            onChange={(value) => set({ range: value })}
            data={ranges.map((value) => ({ value, label: value }))}
          />
        </>
      }
    >
      {name !== null && (
        <Group gap="xs">
          <Button
            size="compact-sm"
            variant="light"
            rightSection={<X size={13} aria-hidden />}
            title={t('calls.removeFilter', { filter: name })}
            onClick={() => set({ name: null })}
          >
            {t(`calls.${by}`)}: {report.data?.groups[0]?.label ?? name}
          </Button>
          <Button
            component={Link}
            href={`/calls?${by}=${encodeURIComponent(name)}&range=${range}`}
            size="compact-sm"
            variant="subtle"
            rightSection={<ArrowRight size={14} aria-hidden />}
          >
            {t('analytics.itsCalls')}
          </Button>
        </Group>
      )}
      <Loaded query={report}>
        {(loaded) =>
          loaded.totals.calls === 0 ? (
            <Panel>
              <EmptyState
                icon={ChartNoAxesCombined}
                title={t('analytics.empty')}
                text={t('analytics.emptyText')}
              />
            </Panel>
          ) : (
            <Charts
              report={loaded}
              by={by}
              range={range}
              picked={name === null ? {} : { [by]: name }}
              onPick={name === null ? (picked) => set({ name: picked }) : null}
            />
          )
        }
      </Loaded>
    </Page>
  );
}

/** The tokens that models read. */
function readBy({ outputTokens, savedTokens }: { outputTokens: number; savedTokens: number }): number {
  return outputTokens - savedTokens;
}

interface ChartsProps {
  readonly report: Report;
  readonly by: Grouping;
  readonly range: Range;
  /** The filters that the calls behind a chart share. */
  readonly picked: CallFilter;
  /** Filters everything by one group; null if already filtered. */
  readonly onPick: ((name: string) => void) | null;
}

function Charts({ report, by, range, picked, onPick }: ChartsProps) {
  const t = useText();
  const format = useFormats();
  const { totals, previous, errorMap, stepMs } = report;
  const [, go] = useLocation();
  const [zoom, setZoom] = useState<{ readonly from: string; readonly to: string } | null>(null);
  const all = report.series;
  // A zoomed time range stays when the next minute adds a point.
  const isShown = (at: string) => zoom === null || (at >= zoom.from && at <= zoom.to);
  const series = all.filter((point) => isShown(point.at));
  const faults = report.faults?.filter((_, index) => isShown(all[index]!.at)) ?? null;
  const callsOf = (first: number, last: number) =>
    callsBetween(series[first]!.at, series[last]!.at, stepMs, picked);
  const pressing = {
    onPick: (index: number) => go(callsOf(index, index)),
    onZoom: (first: number, last: number) => setZoom({ from: series[first]!.at, to: series[last]!.at }),
  };
  const times = series.map((point) => point.at);
  const dayLong = report.stepMs >= 43_200_000 || ['7d', '30d', '90d', '1y'].includes(range);
  const formatTime = dayLong ? format.shortDay : format.hour;
  // Minutes without calls have no latency.
  const [p50, p95, p99] = (['p50Ms', 'p95Ms', 'p99Ms'] as const).map((which) =>
    bridge(series.map((point) => point[which])),
  ) as [(number | null)[], (number | null)[], (number | null)[]];
  const compare = (now: number, before: number) => {
    const change = changeFrom(now, before);
    return change === null
      ? t('analytics.noBefore')
      : t('analytics.versus', { change: `${change > 0 ? '+' : ''}${format.percent(change)}` });
  };
  const compareLatency = (which: 'p50Ms' | 'p95Ms') =>
    totals.latency && compare(totals.latency[which], previous.latency?.[which] ?? 0);
  return (
    <>
      <Stats>
        <Stat
          name={t('nav.calls')}
          value={format.compact(totals.calls)}
          note={compare(totals.calls, previous.calls)}
        />
        <Stat
          name={t('home.success')}
          value={format.percent(successRate(totals))}
          note={
            previous.calls === 0
              ? t('home.errorsToday', { count: totals.errors })
              : t('analytics.before', {
                  errors: t('home.errorsToday', { count: totals.errors }),
                  share: format.percent(successRate(previous)),
                })
          }
          tone={successRate(totals) < 0.95 ? 'bad' : 'good'}
        />
        <Stat
          name={t('analytics.p50')}
          value={totals.latency ? format.duration(totals.latency.p50Ms) : '–'}
          note={compareLatency('p50Ms')}
        />
        <Stat
          name={t('analytics.p95')}
          value={totals.latency ? format.duration(totals.latency.p95Ms) : '–'}
          note={compareLatency('p95Ms')}
        />
        <Stat
          name={t('analytics.tokens')}
          value={format.compact(readBy(totals))}
          note={compare(readBy(totals), readBy(previous))}
        />
        <Stat
          name={t('analytics.saved')}
          value={format.compact(totals.savedTokens)}
          note={t('analytics.savedShare', {
            share: format.percent(totals.savedTokens / Math.max(1, totals.outputTokens)),
          })}
        />
      </Stats>
      {zoom !== null && (
        <Group gap="xs">
          <Button
            size="compact-sm"
            variant="light"
            rightSection={<X size={13} aria-hidden />}
            onClick={() => setZoom(null)}
          >
            {format.moment(zoom.from)} – {format.moment(zoom.to)}
          </Button>
          <Button
            component={Link}
            href={callsOf(0, series.length - 1)}
            size="compact-sm"
            variant="subtle"
            rightSection={<ArrowRight size={14} aria-hidden />}
          >
            {t('analytics.itsCalls')}
          </Button>
        </Group>
      )}
      <div className={styles.charts}>
        <Panel title={t('analytics.callsOverTime')}>
          <TimeChart
            label={t('analytics.callsOverTime')}
            whole
            times={times}
            lines={[
              {
                name: t('nav.calls'),
                tone: 'accent',
                values: series.map((point) => point.calls),
                bars: true,
              },
              {
                name: t('calls.errors'),
                tone: 'bad',
                values: series.map((point) => point.errors),
                bars: true,
              },
            ]}
            format={format.compact}
            formatTime={formatTime}
            {...pressing}
          />
        </Panel>
        {faults && <FaultsPanel faults={faults} times={times} formatTime={formatTime} pressing={pressing} />}
        <Panel title={t('analytics.latency')}>
          <TimeChart
            label={t('analytics.latency')}
            times={times}
            lines={[
              {
                name: 'p99',
                tone: 'bad',
                values: p99,
                labels: series.map((point) => point.p99Ms),
                downTo: p95,
              },
              {
                name: 'p95',
                tone: 'warn',
                values: p95,
                labels: series.map((point) => point.p95Ms),
                downTo: p50,
              },
              {
                name: 'p50',
                tone: 'calm',
                values: p50,
                labels: series.map((point) => point.p50Ms),
                filled: true,
              },
            ]}
            format={format.duration}
            formatTime={formatTime}
            {...pressing}
          />
        </Panel>
        <Panel title={t('analytics.tokensOverTime')}>
          <TimeChart
            label={t('analytics.tokensOverTime')}
            whole
            times={times}
            lines={[
              // Saved tokens are stacked on read tokens, because both came from the API.
              {
                name: t('analytics.saved'),
                tone: 'accent',
                values: series.map((point) => point.outputTokens),
                labels: series.map((point) => point.savedTokens),
                bars: true,
              },
              {
                name: t('analytics.tokens'),
                tone: 'warn',
                values: series.map(readBy),
                bars: true,
              },
            ]}
            format={format.compact}
            formatTime={formatTime}
          />
        </Panel>
        <Panel title={t('analytics.bytesOverTime')}>
          <TimeChart
            label={t('analytics.bytesOverTime')}
            whole
            times={times}
            lines={[
              {
                name: t('calls.received'),
                tone: 'accent',
                values: series.map((point) => point.replyBytes),
                filled: true,
              },
              { name: t('calls.sent'), tone: 'warn', values: series.map((point) => point.requestBytes) },
            ]}
            format={format.bytes}
            formatTime={formatTime}
          />
        </Panel>
      </div>
      <Panel title={t('analytics.errorMap')} lead={t('analytics.errorMapLead')}>
        {errorMap.rows.length === 0 ? (
          <EmptyState icon={CircleCheck} title={t('analytics.noErrors')} />
        ) : (
          <HeatMap
            label={t('analytics.errorMap')}
            columns={errorMap.columns}
            rows={errorMap.rows.map((row) => ({ name: row.name, label: row.label, values: row.errors }))}
            formatTime={formatTime}
            format={format.number}
            scale={{ min: t('analytics.none'), max: t('analytics.max') }}
          />
        )}
      </Panel>
      {onPick && (by === 'tool' || by === 'caller') && <CallerToolPivot range={range} />}
      {onPick && by === 'tool' && <CostlyTools range={range} onPick={onPick} />}
      {onPick && by === 'tool' && <ReplySuggestions />}
      {onPick && <Groups groups={report.groups} by={by} onPick={onPick} />}
    </>
  );
}

function Groups({
  groups,
  by,
  onPick,
}: {
  groups: Report['groups'];
  by: Grouping;
  onPick: (name: string) => void;
}) {
  const t = useText();
  const format = useFormats();
  type Group = Report['groups'][number];
  const number = (
    id: string,
    name: string,
    valueOf: (group: Group) => number | null,
    show: (value: number) => string,
    width = '84px',
  ): Column<Group> => ({
    id,
    name,
    width,
    align: 'end',
    wideOnly: id !== 'calls',
    sortBy: (group) => valueOf(group) ?? -1,
    cell: (group) => {
      const value = valueOf(group);
      return value === null ? '–' : show(value);
    },
  });
  const columns: Column<Group>[] = [
    {
      id: 'name',
      name: t('common.name'),
      width: 'minmax(140px, 1fr)',
      sortBy: ({ label }) => label.toLowerCase(),
      cell: ({ name, label }) => (
        <UnstyledButton className={styles.group} title={label} onClick={() => onPick(name)}>
          {label}
        </UnstyledButton>
      ),
    },
    number('calls', t('nav.calls'), ({ calls }) => calls, format.number, '70px'),
    number('success', t('home.success'), successRate, format.percent, '104px'),
    number('p50', 'p50', ({ latency }) => latency && latency.p50Ms, format.duration),
    number('p95', 'p95', ({ latency }) => latency && latency.p95Ms, format.duration),
    number('p99', 'p99', ({ latency }) => latency && latency.p99Ms, format.duration),
    number('received', t('calls.received'), ({ replyBytes }) => replyBytes, format.bytes),
    number('tokens', t('tools.tokens'), readBy, format.compact, '70px'),
  ];
  return (
    <Panel flush title={t(`analytics.by.${by}`)}>
      <VirtualTable
        label={t(`analytics.by.${by}`)}
        rows={groups}
        columns={columns}
        keyOf={({ name }) => name}
        onOpen={({ name }) => onPick(name)}
      />
    </Panel>
  );
}
