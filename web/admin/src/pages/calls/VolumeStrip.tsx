import { useGet } from '../../api/queries.ts';
import { TimeChart } from '../../components/charts/TimeChart.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import styles from './Calls.module.css';
import { type CallFilter, volumeOf } from './filter.ts';

/** Calls and errors over the time that the list covers, where they are counted; a click shows that time. */
export function VolumeStrip({
  filter,
  onChange,
}: {
  filter: CallFilter;
  onChange: (changes: Partial<CallFilter>) => void;
}) {
  const t = useText();
  const format = useFormats();
  const query = volumeOf(filter);
  const volume = useGet(
    '/analytics',
    { query: query ?? {} },
    { enabled: query !== null, everyMs: 30_000, keep: true },
  ).data;
  if (query === null || volume === undefined || volume.totals.calls === 0) return null;
  const { series, stepMs } = volume;
  const show = (first: number, last: number) =>
    onChange({
      from: series[first]!.at,
      to: new Date(Date.parse(series[last]!.at) + stepMs).toISOString(),
      range: undefined,
    });
  const isLong = query.range.endsWith('d') || query.range === '1y';
  return (
    <div className={styles.volume}>
      <span className={styles.volumeRange}>{t(`range.${query.range as '24h'}`)}</span>
      <TimeChart
        label={t('calls.volume')}
        height={84}
        whole
        times={series.map((point) => point.at)}
        lines={[
          { name: t('nav.calls'), tone: 'accent', values: series.map((point) => point.calls), bars: true },
          { name: t('calls.errors'), tone: 'bad', values: series.map((point) => point.errors), bars: true },
        ]}
        format={format.compact}
        formatTime={isLong ? format.shortDay : format.hour}
        onPick={(index) => show(index, index)}
        onZoom={show}
      />
    </div>
  );
}
