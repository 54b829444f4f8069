import { Badge, Button } from '@mantine/core';
import {
  ArrowRight,
  CircleAlert,
  KeyRound,
  LockKeyhole,
  Play,
  Plug,
  Plus,
  UserPlus,
  type LucideIcon,
} from 'lucide-react';
import { Link, useLocation } from 'wouter';
import { useIsOffline } from '../../api/reachability.ts';
import { useGet } from '../../api/queries.ts';
import type { ReplyOf, RouteAt } from '../../api/routes.ts';
import { useHasRole } from '../../app/account/permissions.tsx';
import { BarList } from '../../components/charts/BarList.tsx';
import { changeFrom } from '../analytics/change-from.ts';
import { callsBetween } from '../calls/filter.ts';
import { Sparkline } from '../../components/charts/Sparkline.tsx';
import { TimeChart } from '../../components/charts/TimeChart.tsx';
import { EmptyState } from '../../components/feedback/EmptyState.tsx';
import layout from '../../components/Layout.module.css';
import { Loaded, LoadingRows } from '../../components/feedback/Loaded.tsx';
import { Page } from '../../components/Page.tsx';
import { Panel } from '../../components/Panel.tsx';
import { Row, RowList } from '../../components/tables/RowList.tsx';
import { Stat, Stats } from '../../components/display/Stat.tsx';
import { successRate } from '../../components/display/success-rate.ts';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import styles from './Home.module.css';

type Overview = ReplyOf<RouteAt<'GET', '/overview'>>;
type Next = Overview['next'][number];
type Attention = Overview['attention'][number];

const refreshMs = 10_000;

/** Gateway status, what needs attention, and next steps. */
export default function Home() {
  const t = useText();
  const mayEdit = useHasRole('editor');
  const isOwner = useHasRole('owner');
  const next = (shown: Overview) =>
    shown.next.filter((step) => (step === 'invite-person' ? isOwner : mayEdit || step === 'connect-client'));
  const overview = useGet('/overview', {}, { everyMs: refreshMs });
  return (
    <Page
      title={t('nav.home')}
      lead={t('home.lead')}
      badge={overview.data && <HealthBadge overview={overview.data} />}
    >
      <Loaded query={overview}>
        {(shown) => (
          <>
            {next(shown).length > 0 && <NextSteps next={next(shown)} />}
            {shown.attention.length > 0 && <AttentionPanel items={shown.attention} />}
            <KeyMetrics />
            <div className={layout.split}>
              <Traffic />
              <TopTools tools={shown.topTools} />
            </div>
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** How the gateway is, as severe as the worst of what needs attention. */
function HealthBadge({ overview: { today, health, attention } }: { overview: Overview }) {
  const t = useText();
  const format = useFormats();
  const isOffline = useIsOffline();
  const { api, gateway } = today.faults;
  // Agent errors say nothing about the health of the APIs.
  const failedShare = today.calls === 0 ? 0 : (api + gateway) / today.calls;
  const isUnhealthy =
    failedShare > 0.05 ||
    health.store !== 'ok' ||
    health.openCircuits.length > 0 ||
    health.recordsDropped > 0;
  if (isOffline)
    return (
      <Badge color="red" title={t('home.offlineNote')}>
        {t('home.offline')}
      </Badge>
    );
  if (isUnhealthy)
    return (
      <Badge color="red" title={t('home.failing', { share: format.percent(failedShare) })}>
        {t('home.unhealthy')}
      </Badge>
    );
  return attention.length > 0 ? (
    <Badge color="orange">{t('home.issues', { count: attention.length })}</Badge>
  ) : (
    <Badge color="green" title={t('home.uptime', { time: uptime(health.uptimeMs) })}>
      {t('home.healthy')}
    </Badge>
  );
}

/** Series points joined to one bar per hour. */
function hoursOf<P>(
  series: readonly P[],
  stepMs: number,
  of: (point: P) => readonly [number, number],
  join: (one: number, other: number) => number,
) {
  const each = Math.max(1, Math.round(3_600_000 / stepMs));
  const hours: [number, number][] = [];
  for (const [at, point] of series.entries()) {
    const [value, bad] = of(point);
    const hour = hours[Math.floor(at / each)];
    if (hour === undefined) hours.push([value, bad]);
    else {
      hour[0] = join(hour[0], value);
      hour[1] = join(hour[1], bad);
    }
  }
  return hours;
}

/** The last 24 hours in four numbers, compared with the 24 hours before. */
function KeyMetrics() {
  const t = useText();
  const format = useFormats();
  const day = useDay();
  if (day.data === undefined) return <LoadingRows rows={2} />;
  const { totals, previous, series, stepMs, faults } = day.data;
  const chart = (
    name: string,
    of: (point: (typeof series)[number]) => readonly [number, number],
    join = (one: number, other: number) => one + other,
  ) =>
    totals.calls > 0 && (
      <Sparkline wide label={t('home.byHour', { name })} hours={hoursOf(series, stepMs, of, join)} />
    );
  const against = (now: number, before: number) => {
    const change = changeFrom(now, before);
    return change === null
      ? t('analytics.noBefore')
      : t('analytics.versus', { change: `${change > 0 ? '+' : ''}${format.percent(change)}` });
  };
  const sum = (fault: 'agent' | 'api' | 'gateway') =>
    (faults ?? []).reduce((count, point) => count + point[fault], 0);
  const tokens = totals.outputTokens - totals.savedTokens;
  const rate = totals.calls === 0 ? null : successRate(totals);
  return (
    <Stats>
      <Stat
        name={t('home.callsToday')}
        value={format.compact(totals.calls)}
        note={against(totals.calls, previous.calls)}
        chart={chart(t('nav.calls'), ({ calls, errors }) => [calls, errors])}
      />
      <Stat
        name={t('home.success')}
        value={rate === null ? '–' : format.percent(rate)}
        note={
          totals.errors === 0
            ? t('home.errorsToday', { count: 0 })
            : (['api', 'gateway', 'agent'] as const)
                .flatMap((fault) => (sum(fault) > 0 ? t(`home.fault.${fault}`, { count: sum(fault) }) : []))
                .join(', ')
        }
        {...(rate !== null && ({ tone: rate < 0.95 ? 'bad' : 'good' } as const))}
        chart={chart(t('calls.errors'), ({ errors }) => [errors, errors])}
      />
      <Stat
        name={t('analytics.p95')}
        value={totals.latency === null ? '–' : format.duration(totals.latency.p95Ms)}
        note={
          totals.latency === null || previous.latency === null
            ? t('analytics.noBefore')
            : against(totals.latency.p95Ms, previous.latency.p95Ms)
        }
        chart={chart(t('analytics.p95'), ({ p95Ms }) => [p95Ms ?? 0, 0], Math.max)}
      />
      <Stat
        name={t('analytics.tokens')}
        value={format.compact(tokens)}
        note={against(tokens, previous.outputTokens - previous.savedTokens)}
        chart={chart(t('analytics.tokens'), ({ outputTokens, savedTokens }) => [
          outputTokens - savedTokens,
          0,
        ])}
      />
    </Stats>
  );
}

/** The numbers of the last 24 hours, which tiles and chart share. */
function useDay() {
  return useGet('/analytics', { query: { range: '24h' } }, { everyMs: 30_000, keep: true });
}

function uptime(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min`;
  return minutes < 2_880 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1_440)} d`;
}

function Traffic() {
  const t = useText();
  const [, go] = useLocation();
  const format = useFormats();
  const analytics = useDay();
  if (analytics.data === undefined || analytics.data.totals.calls === 0) return null;
  const { series, stepMs } = analytics.data;
  return (
    <Panel
      title={t('home.traffic')}
      actions={
        <Button
          component={Link}
          href="/analytics"
          variant="subtle"
          size="compact-sm"
          rightSection={<ArrowRight size={14} aria-hidden />}
        >
          {t('nav.analytics')}
        </Button>
      }
    >
      <TimeChart
        label={t('home.traffic')}
        height={230}
        whole
        times={series.map((point) => point.at)}
        lines={[
          { name: t('nav.calls'), tone: 'accent', values: series.map((point) => point.calls), bars: true },
          { name: t('calls.errors'), tone: 'bad', values: series.map((point) => point.errors), bars: true },
        ]}
        format={format.compact}
        formatTime={format.hour}
        onPick={(index) => go(callsBetween(series[index]!.at, series[index]!.at, stepMs))}
        onZoom={(first, last) => go(callsBetween(series[first]!.at, series[last]!.at, stepMs))}
      />
    </Panel>
  );
}

const steps: Readonly<Record<Next, { readonly icon: LucideIcon; readonly href: string }>> = {
  'add-api': { icon: Plus, href: '/add' },
  'add-credential': { icon: LockKeyhole, href: '/credentials' },
  'try-tool': { icon: Play, href: '/tools' },
  'connect-client': { icon: Plug, href: '/servers/default' },
  'make-key': { icon: KeyRound, href: '/keys' },
  'invite-person': { icon: UserPlus, href: '/people' },
};

function NextSteps({ next }: { next: readonly Next[] }) {
  const t = useText();
  return (
    <Panel title={t('home.next')} lead={t('home.nextLead')}>
      <div className={styles.steps}>
        {next.slice(0, 4).map((step, at) => {
          const { icon: Icon, href } = steps[step];
          return (
            <Link key={step} href={href} className={styles.step} data-first={at === 0 || undefined}>
              <Icon size={18} aria-hidden />
              <span className={styles.stepName}>{t(`home.next.${step}`)}</span>
              <span className={styles.stepText}>{t(`home.next.${step}.text`)}</span>
            </Link>
          );
        })}
      </div>
    </Panel>
  );
}

function hrefOf({ kind, subject }: Attention): string | undefined {
  switch (kind) {
    case 'failing-tool':
      return subject === null
        ? '/calls?outcome=error'
        : `/calls?outcome=error&tool=${encodeURIComponent(subject)}`;
    case 'open-circuit':
    case 'missing-credential':
      return subject === null ? undefined : `/apis/${encodeURIComponent(subject)}`;
    case 'expiring-key':
      return '/keys';
    case 'pending-change':
      return subject === null ? '/tools' : `/tools/${encodeURIComponent(subject)}`;
    case 'set-aside':
    case 'dropped-records':
      return '/settings';
  }
}

function AttentionPanel({ items }: { items: readonly Attention[] }) {
  const t = useText();
  const format = useFormats();
  const valuesOf = ({ values }: Attention) => ({
    ...values,
    ...(typeof values['at'] === 'string' && { at: format.moment(values['at']) }),
  });
  return (
    <Panel flush title={t('home.attention')}>
      <RowList>
        {items.map((item) => {
          const href = hrefOf(item);
          return (
            <Row
              key={`${item.kind}${item.subject ?? ''}`}
              name={
                <>
                  <CircleAlert size={15} className={styles.alert} aria-hidden />{' '}
                  {t(`attention.${item.kind}`, valuesOf(item))}
                </>
              }
              note={t(`attention.${item.kind}.text`, valuesOf(item))}
              {...(href !== undefined && {
                href,
                side: (
                  <Button component={Link} href={href} size="compact-sm" variant="default">
                    {t(`home.fix.${item.kind}`)}
                  </Button>
                ),
              })}
            />
          );
        })}
      </RowList>
    </Panel>
  );
}

// As tall as the chart next to it.
const maxTopTools = 7;

function TopTools({ tools }: { tools: Overview['topTools'] }) {
  const t = useText();
  const format = useFormats();
  return (
    <Panel title={t('home.topTools')}>
      {tools.length === 0 ? (
        <EmptyState icon={Play} title={t('home.noCalls')} text={t('home.noCallsText')} />
      ) : (
        <BarList
          bars={tools.slice(0, maxTopTools).map((tool) => ({
            name: tool.name,
            value: tool.calls,
            ...(tool.errors > 0 && { bad: t('home.errorsToday', { count: tool.errors }) }),
            href: `/calls?tool=${encodeURIComponent(tool.name)}`,
          }))}
          format={format.compact}
        />
      )}
    </Panel>
  );
}
