import { TimeChart } from '../../components/charts/TimeChart.tsx';
import { Panel } from '../../components/Panel.tsx';
import type { ReplyOf, RouteAt } from '../../api/routes.ts';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';

interface FaultsPanelProps {
  readonly faults: NonNullable<ReplyOf<RouteAt<'GET', '/analytics'>>['faults']>;
  readonly times: readonly string[];
  readonly formatTime: (time: string) => string;
  readonly pressing: {
    readonly onPick: (index: number) => void;
    readonly onZoom: (from: number, to: number) => void;
  };
}

/** Errors over time by cause, stacked. */
export function FaultsPanel({ faults, times, formatTime, pressing }: FaultsPanelProps) {
  const t = useText();
  const format = useFormats();
  return (
    <Panel title={t('analytics.faults')}>
      <TimeChart
        label={t('analytics.faults')}
        whole
        times={times}
        lines={[
          {
            name: t('calls.group.agent'),
            tone: 'warn',
            values: faults.map(({ agent, api, gateway }) => agent + api + gateway),
            labels: faults.map(({ agent }) => agent),
            bars: true,
          },
          {
            name: t('calls.group.api'),
            tone: 'bad',
            values: faults.map(({ api, gateway }) => api + gateway),
            labels: faults.map(({ api }) => api),
            bars: true,
          },
          {
            name: t('calls.group.gateway'),
            tone: 'calm',
            values: faults.map(({ gateway }) => gateway),
            labels: faults.map(({ gateway }) => gateway),
            bars: true,
          },
        ]}
        format={format.compact}
        formatTime={formatTime}
        {...pressing}
      />
    </Panel>
  );
}
