import { UnstyledButton } from '@mantine/core';
import { useGet } from '../../api/queries.ts';
import { VirtualTable, type Column } from '../../components/tables/VirtualTable.tsx';
import { Panel } from '../../components/Panel.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import styles from './Analytics.module.css';
import type { Range } from './view.ts';

const maxTools = 5;

/** The tools whose replies cost the most tokens. */
export function CostlyTools({ range, onPick }: { range: Range; onPick: (name: string) => void }) {
  const t = useText();
  const format = useFormats();
  const { data } = useGet('/analytics', { query: { range, by: 'tool', order: 'tokens', top: maxTools } });
  const costly = (data?.groups ?? []).filter(({ outputTokens }) => outputTokens > 0);
  if (costly.length === 0) return null;
  type Tool = (typeof costly)[number];
  const readBy = ({ outputTokens, savedTokens }: Tool) => outputTokens - savedTokens;
  const number = (
    id: string,
    name: string,
    width: string,
    valueOf: (tool: Tool) => number,
  ): Column<Tool> => ({
    id,
    name,
    width,
    align: 'end',
    wideOnly: id !== 'tokens',
    sortBy: valueOf,
    cell: (tool) => format.compact(valueOf(tool)),
  });
  const columns: Column<Tool>[] = [
    {
      id: 'name',
      name: t('common.name'),
      width: 'minmax(120px, 1fr)',
      cell: ({ name, label }) => (
        <UnstyledButton className={styles.group} title={label} onClick={() => onPick(name)}>
          {label}
        </UnstyledButton>
      ),
    },
    number('calls', t('nav.calls'), '70px', ({ calls }) => calls),
    number('tokens', t('analytics.tokens'), '156px', readBy),
    number('each', t('analytics.tokensPerCall'), '116px', (tool) =>
      Math.round(readBy(tool) / Math.max(1, tool.calls)),
    ),
    number('saved', t('analytics.saved'), '104px', ({ savedTokens }) => savedTokens),
  ];
  return (
    <Panel flush title={t('analytics.costly')}>
      <VirtualTable
        label={t('analytics.costly')}
        rows={costly}
        columns={columns}
        keyOf={({ name }) => name}
        onOpen={({ name }) => onPick(name)}
      />
    </Panel>
  );
}
