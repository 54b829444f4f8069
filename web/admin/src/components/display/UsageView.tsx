import { useGet } from '../../api/queries.ts';
import type { ReplyOf, RouteAt } from '../../api/routes.ts';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { Sparkline } from '../charts/Sparkline.tsx';
import styles from './UsageView.module.css';

/** The usage of one item in the last day. */
export type Usage = ReplyOf<RouteAt<'GET', '/usage'>>['items'][number];

const refreshMs = 30_000;

/** The usage of the last day by name: null without calls, undefined while unknown. */
export function useUsage(
  by: 'tool' | 'api' | 'server' | 'caller',
): (name: string) => Usage | null | undefined {
  const { data } = useGet('/usage', { query: { by } }, { everyMs: refreshMs, keep: true });
  if (data === undefined) return () => undefined;
  const byName = new Map(data.items.map((item) => [item.name, item]));
  return (name) => byName.get(name) ?? null;
}

/** Calls, errors, p95 and last use of one item, with a sparkline of the last day. */
export function UsageView({ usage, name }: { usage: Usage | null | undefined; name: string }) {
  const t = useText();
  const format = useFormats();
  if (usage === undefined) return null;
  if (usage === null) return <span className={styles.none}>{t('usage.none')}</span>;
  return (
    <span className={styles.usage} title={t('usage.last', { when: format.ago(usage.lastUsed) })}>
      <span className={styles.numbers}>
        {t('calls.count', { count: usage.calls })}
        {usage.errors > 0 && (
          <span className={styles.bad}> · {t('home.errorsToday', { count: usage.errors })}</span>
        )}
        {usage.p95Ms !== null && <> · {t('home.p95', { time: format.duration(usage.p95Ms) })}</>}
      </span>
      <Sparkline hours={usage.hours} label={t('usage.of', { name })} />
    </span>
  );
}
