import { Button } from '@mantine/core';
import {
  ArrowRight,
  CircleAlert,
  CircleCheck,
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
import { callsBetween } from '../calls/filter.ts';
import { TimeChart } from '../../components/charts/TimeChart.tsx';
import { EmptyState } from '../../components/feedback/EmptyState.tsx';
import layout from '../../components/Layout.module.css';
import { Loaded } from '../../components/feedback/Loaded.tsx';
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
    <Page title={t('nav.home')} lead={t('home.lead')}>
      <Loaded query={overview}>
        {(shown) => (
          <>
            {next(shown).length > 0 && <NextSteps next={next(shown)} />}
            <KeyMetrics overview={shown} />
            <Traffic />
            <div className={layout.split}>
              <AttentionPanel items={shown.attention} />
              <TopTools tools={shown.topTools} />
            </div>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function KeyMetrics({ overview: { now, today, counts, health, attention } }: { overview: Overview }) {
  const t = useText();
  const format = useFormats();
  const { agent, api, gateway } = today.faults;
  // Agent errors say nothing about the health of the APIs.
  const failedShare = today.calls === 0 ? 0 : (api + gateway) / today.calls;
  const isFailing = failedShare > 0.05;
  const isOffline = useIsOffline();
  // As severe as the worst of the items below.
  const isUnhealthy =
    isFailing || health.store !== 'ok' || health.openCircuits.length > 0 || health.recordsDropped > 0;
  const isHealthy = !isOffline && !isUnhealthy && attention.length === 0;
  return (
    <Stats>
      <Stat
        name={t('home.callsNow')}
        value={format.number(Math.round(now.callsPerMinute * 10) / 10)}
        note={now.p95Ms === null ? t('home.quiet') : t('home.p95', { time: format.duration(now.p95Ms) })}
      />
      <Stat
        name={t('home.callsToday')}
        value={format.compact(today.calls)}
        note={t('home.tokensToday', {
          tokens: t('common.tokens', { count: format.compact(today.outputTokens) }),
        })}
      />
      <Stat
        name={t('home.success')}
        value={today.calls === 0 ? '–' : format.percent(successRate(today))}
        note={
          today.errors === 0 ? t('home.errorsToday', { count: 0 }) : t('home.faults', { agent, api, gateway })
        }
        {...(today.calls > 0 && ({ tone: isFailing ? 'bad' : 'good' } as const))}
      />
      <Stat
        name={t('nav.tools')}
        value={format.compact(counts.enabledTools)}
        note={t('home.ofTools', { count: counts.tools, apis: t('apis.count', { count: counts.apis }) })}
      />
      <Stat
        name={t('home.health')}
        value={
          isHealthy
            ? t('home.healthy')
            : isOffline
              ? t('home.offline')
              : t(isUnhealthy ? 'home.unhealthy' : 'home.attentionNeeded')
        }
        note={
          isOffline
            ? t('home.offlineNote')
            : isHealthy
              ? t('home.uptime', { time: uptime(health.uptimeMs) })
              : attention.length === 0 && isFailing
                ? t('home.failing', { share: format.percent(failedShare) })
                : t('home.issues', { count: attention.length })
        }
        tone={isHealthy ? 'good' : isUnhealthy || isOffline ? 'bad' : 'warn'}
      />
    </Stats>
  );
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
  const analytics = useGet('/analytics', { query: { range: '24h' } }, { everyMs: 30_000, keep: true });
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
        height={170}
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
      {items.length === 0 ? (
        <EmptyState icon={CircleCheck} title={t('home.nothingWrong')} />
      ) : (
        <RowList>
          {items.map((item) => {
            const href = hrefOf(item);
            return (
              <Row
                key={`${item.kind}${item.subject ?? ''}`}
                name={t(`attention.${item.kind}`, valuesOf(item))}
                note={t(`attention.${item.kind}.text`, valuesOf(item))}
                badge={<CircleAlert size={14} className={styles.alert} aria-hidden />}
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
      )}
    </Panel>
  );
}

function TopTools({ tools }: { tools: Overview['topTools'] }) {
  const t = useText();
  const format = useFormats();
  return (
    <Panel title={t('home.topTools')}>
      {tools.length === 0 ? (
        <EmptyState icon={Play} title={t('home.noCalls')} text={t('home.noCallsText')} />
      ) : (
        <BarList
          bars={tools.map((tool) => ({
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
