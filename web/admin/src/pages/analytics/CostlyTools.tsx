import { Table, UnstyledButton } from '@mantine/core';
import { useGet } from '../../api/queries.ts';
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
  return (
    <Panel flush title={t('analytics.costly')}>
      <Table.ScrollContainer minWidth={480} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table verticalSpacing="sm" horizontalSpacing="lg">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('common.name')}</Table.Th>
              <Table.Th ta="right">{t('nav.calls')}</Table.Th>
              <Table.Th ta="right">{t('analytics.tokens')}</Table.Th>
              <Table.Th ta="right">{t('analytics.tokensPerCall')}</Table.Th>
              <Table.Th ta="right">{t('analytics.saved')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {costly.map((tool) => (
              <Table.Tr key={tool.name}>
                <Table.Td>
                  <UnstyledButton className={styles.group} onClick={() => onPick(tool.name)}>
                    {tool.label}
                  </UnstyledButton>
                </Table.Td>
                <Table.Td ta="right">{format.number(tool.calls)}</Table.Td>
                <Table.Td ta="right">{format.compact(tool.outputTokens - tool.savedTokens)}</Table.Td>
                <Table.Td ta="right">
                  {format.compact(
                    Math.round((tool.outputTokens - tool.savedTokens) / Math.max(1, tool.calls)),
                  )}
                </Table.Td>
                <Table.Td ta="right">{format.compact(tool.savedTokens)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Panel>
  );
}
