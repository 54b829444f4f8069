import { Button, Group, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { ToolLine } from '../../api/resources.ts';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { MethodBadge } from '../../components/display/MethodBadge.tsx';
import { SearchBox } from '../../components/inputs/SearchBox.tsx';
import { RowCheckbox } from '../../components/inputs/RowCheckbox.tsx';
import { VirtualTable } from '../../components/tables/VirtualTable.tsx';
import { useText } from '../../i18n/text.tsx';
import { filterTools } from '../tools/filter-tools.ts';
import styles from './ToolPicker.module.css';

interface ToolPickerProps {
  readonly tools: UseQueryResult<{ items: ToolLine[] }>;
  readonly chosen: ReadonlySet<string>;
  readonly onChange: (chosen: ReadonlySet<string>) => void;
}

/** Selects some of thousands of tools: by search, one by one, or all results. */
export function ToolPicker({ tools, chosen, onChange }: ToolPickerProps) {
  return (
    <div className={styles.picker}>
      <Loaded query={tools} rows={4}>
        {({ items }) => <Picker tools={items} chosen={chosen} onChange={onChange} />}
      </Loaded>
    </div>
  );
}

function Picker({
  tools,
  chosen,
  onChange,
}: Pick<ToolPickerProps, 'chosen' | 'onChange'> & { readonly tools: readonly ToolLine[] }) {
  const t = useText();
  const [search, setSearch] = useState('');
  const [onlyChosen, setOnlyChosen] = useState(false);
  const shown = useMemo(
    () =>
      filterTools(tools, { search, api: null, tag: null, method: null, state: null }).filter(
        (tool) => !onlyChosen || chosen.has(tool.id),
      ),
    [tools, search, onlyChosen, chosen],
  );
  const allShown = shown.length > 0 && shown.every((tool) => chosen.has(tool.id));
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    onChange(next);
  };
  const toggleShown = () => {
    const next = new Set(chosen);
    for (const tool of shown)
      if (allShown) next.delete(tool.id);
      else next.add(tool.id);
    onChange(next);
  };
  return (
    <>
      <div className={styles.search}>
        <SearchBox label={t('tools.search')} value={search} onChange={setSearch} />
      </div>
      {shown.length === 0 ? (
        <Text size="sm" c="dimmed" p="md">
          {t('common.nothingFound')}
        </Text>
      ) : (
        <VirtualTable
          label={t('keys.selectedTools')}
          rows={shown}
          keyOf={(tool) => tool.id}
          onOpen={(tool) => toggle(tool.id)}
          rowHeight={38}
          height="min(38vh, 300px)"
          columns={[
            {
              id: 'chosen',
              name: (
                <RowCheckbox
                  label={t('tools.selectAll')}
                  checked={allShown}
                  some={!allShown && shown.some((tool) => chosen.has(tool.id))}
                  onChange={toggleShown}
                />
              ),
              width: '22px',
              cell: (tool) => (
                <RowCheckbox
                  label={t('tools.select', { name: tool.name })}
                  checked={chosen.has(tool.id)}
                  onChange={() => toggle(tool.id)}
                />
              ),
            },
            {
              id: 'method',
              name: t('common.method'),
              width: '64px',
              wideOnly: true,
              cell: (tool) => <MethodBadge method={tool.method} />,
            },
            { id: 'name', name: t('common.name'), width: 'minmax(110px, 2fr)', cell: (tool) => tool.name },
            { id: 'api', name: t('calls.api'), width: 'minmax(70px, 1fr)', cell: (tool) => tool.api },
          ]}
        />
      )}
      <Group justify="space-between" className={styles.foot}>
        <Text size="sm">{t('tools.selected', { count: chosen.size })}</Text>
        <Group gap={4}>
          <Button
            size="compact-xs"
            variant="subtle"
            disabled={chosen.size === 0 && !onlyChosen}
            onClick={() => setOnlyChosen(!onlyChosen)}
          >
            {t(onlyChosen ? 'keys.showAll' : 'keys.showSelected')}
          </Button>
          <Button
            size="compact-xs"
            variant="subtle"
            disabled={chosen.size === 0}
            onClick={() => onChange(new Set())}
          >
            {t('keys.clearSelection')}
          </Button>
        </Group>
      </Group>
    </>
  );
}
