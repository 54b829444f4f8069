import { ActionIcon } from '@mantine/core';
import { Columns3 } from 'lucide-react';
import { useText } from '../../i18n/text.tsx';
import { ActionMenu } from '../ActionMenu.tsx';
import type { TableView } from './use-table-view.ts';

/** Chooses which columns a table shows. */
export default function ColumnMenu({
  columns,
  view: { hidden, setHidden },
}: {
  columns: readonly { readonly id: string; readonly name: string }[];
  view: TableView;
}) {
  const t = useText();
  return (
    <ActionMenu
      button={
        <ActionIcon
          size={22}
          variant="subtle"
          color="gray"
          aria-label={t('table.columns')}
          title={t('table.columns')}
        >
          <Columns3 size={15} aria-hidden />
        </ActionIcon>
      }
      actions={columns.map(({ id, name }) => ({
        name,
        checked: !hidden.includes(id),
        onChoose: () =>
          setHidden(hidden.includes(id) ? hidden.filter((other) => other !== id) : [...hidden, id]),
      }))}
    />
  );
}
