import { useMemo } from 'react';
import { useGet } from '../../api/queries.ts';
import type { ReplyOf, RouteAt } from '../../api/routes.ts';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { Sparkline } from '../charts/Sparkline.tsx';
import styles from './Usage.module.css';
import type { Column } from './VirtualTable.tsx';

/** The usage of one item in the last day. */
type Usage = ReplyOf<RouteAt<'GET', '/usage'>>['items'][number];

const refreshMs = 30_000;

/** The usage of the last day by name: null without calls, undefined while unknown. Changes only with its data. */
export function useUsage(
  by: 'tool' | 'api' | 'server' | 'caller',
): (name: string) => Usage | null | undefined {
  const { data } = useGet('/usage', { query: { by } }, { everyMs: refreshMs, keep: true });
  return useMemo(() => {
    if (data === undefined) return () => undefined;
    const byName = new Map(data.items.map((item) => [item.name, item]));
    return (name: string) => byName.get(name) ?? null;
  }, [data]);
}

interface Used<T> {
  /** The name that its usage is counted under. */
  readonly nameOf: (row: T) => string;
  /** How people call it. */
  readonly labelOf?: (row: T) => string;
}

/** What a table shows of the last day: calls, errors, p95 and a sparkline. */
export function useUsageColumns<T>(
  used: ReturnType<typeof useUsage>,
  { nameOf, labelOf = nameOf }: Used<T>,
): readonly Column<T>[] {
  const t = useText();
  const format = useFormats();
  const usageOf = (row: T) => used(nameOf(row));
  const count = (usage: Usage | null | undefined, what: 'calls' | 'errors') =>
    usage === undefined ? '' : usage?.[what] ? format.compact(usage[what]) : '–';
  return [
    {
      id: 'calls',
      name: t('usage.calls'),
      width: '78px',
      align: 'end',
      wideOnly: true,
      sortBy: (row) => usageOf(row)?.calls ?? 0,
      cell: (row) => count(usageOf(row), 'calls'),
    },
    {
      id: 'errors',
      name: t('calls.errors'),
      width: '60px',
      align: 'end',
      wideOnly: true,
      sortBy: (row) => usageOf(row)?.errors ?? 0,
      cell: (row) => (
        <span className={usageOf(row)?.errors ? styles.bad : undefined}>{count(usageOf(row), 'errors')}</span>
      ),
    },
    {
      id: 'p95',
      name: 'p95',
      width: '58px',
      align: 'end',
      wideOnly: true,
      sortBy: (row) => usageOf(row)?.p95Ms ?? -1,
      cell: (row) => {
        const p95Ms = usageOf(row)?.p95Ms ?? null;
        return p95Ms === null ? '–' : format.duration(p95Ms);
      },
    },
    {
      id: 'used',
      name: t('usage.day'),
      width: '74px',
      wideOnly: true,
      sortBy: (row) => usageOf(row)?.lastUsed ?? '',
      cell: (row) => {
        const usage = usageOf(row);
        return (
          usage && (
            <span title={t('usage.last', { when: format.ago(usage.lastUsed) })}>
              <Sparkline hours={usage.hours} label={t('usage.of', { name: labelOf(row) })} />
            </span>
          )
        );
      },
    },
  ];
}
