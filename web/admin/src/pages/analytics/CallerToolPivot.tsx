import type { CSSProperties } from 'react';
import { Link } from 'wouter';
import { useGet } from '../../api/queries.ts';
import { Panel } from '../../components/Panel.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { writeFilter } from '../calls/filter.ts';
import styles from './Analytics.module.css';
import type { Range } from './view.ts';

// Text stays readable on the darkest cell.
const darkest = 30;

/** Who calls which tool: calls and errors of the busiest callers and tools, with links to them. */
export function CallerToolPivot({ range }: { range: Range }) {
  const t = useText();
  const format = useFormats();
  const { data } = useGet('/analytics/pivot', { query: { range } }, { everyMs: 60_000, keep: true });
  if (data === undefined || data.callers.length === 0) return null;
  const max = Math.max(1, ...data.cells.flat().map(({ calls }) => calls));
  return (
    <Panel title={t('analytics.pivot')} lead={t('analytics.pivotLead')}>
      <div className={styles.pivot} tabIndex={0} role="region" aria-label={t('analytics.pivot')}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t('calls.caller')}</th>
              {data.tools.map((tool) => (
                <th key={tool} scope="col" title={tool}>
                  {tool}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.callers.map((caller, row) => (
              <tr key={caller.name}>
                <th scope="row" title={caller.label}>
                  {caller.label}
                </th>
                {data.tools.map((tool, column) => {
                  const { calls, errors } = data.cells[row]?.[column] ?? { calls: 0, errors: 0 };
                  return (
                    <td key={tool}>
                      {calls > 0 && (
                        <Link
                          href={`/calls?${writeFilter({ caller: caller.name, tool, range }).toString()}`}
                          title={`${caller.label} · ${tool} · ${t('calls.count', { count: calls })}`}
                          style={{ '--share': `${8 + (calls / max) * (darkest - 8)}%` } as CSSProperties}
                        >
                          {errors > 0 && (
                            <span className={styles.failed} title={t('home.errorsToday', { count: errors })}>
                              {format.compact(errors)}
                            </span>
                          )}
                          {format.compact(calls)}
                        </Link>
                      )}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}
