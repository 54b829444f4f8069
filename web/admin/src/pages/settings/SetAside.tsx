import { Button } from '@mantine/core';
import { Trash2 } from 'lucide-react';
import { useChange, useGet } from '../../api/queries.ts';
import type { SetAside as SetAsideRow } from '../../api/resources.ts';
import { RequireRole } from '../../app/account/permissions.tsx';
import { confirm } from '../../components/feedback/confirm.ts';
import { toastDone, toastProblem } from '../../components/feedback/toasts.ts';
import { Panel } from '../../components/Panel.tsx';
import { Row, RowList } from '../../components/tables/RowList.tsx';
import { useText } from '../../i18n/text.tsx';

/** Stored rows that can't be read, with a button to delete each; nothing if there are none. */
export function SetAside() {
  const t = useText();
  const { data } = useGet('/set-aside', {});
  if (data === undefined || data.total === 0) return null;
  return (
    <Panel flush title={t('setAside.title')} lead={t('setAside.lead')}>
      <RowList>
        {data.items.map((row) => (
          <Row
            key={`${row.kind} ${row.id}`}
            name={`${t(`setAside.kind.${row.kind}`)}: ${row.name}`}
            note={row.problems.map(({ path, message }) => `${path} ${message}`).join('; ')}
            side={
              <RequireRole role="owner">
                <Delete row={row} />
              </RequireRole>
            }
          />
        ))}
      </RowList>
    </Panel>
  );
}

function Delete({ row }: { row: SetAsideRow }) {
  const t = useText();
  const remove = useChange('DELETE', '/set-aside/:kind/:id', ['/set-aside', '/overview']);
  const onDelete = async () => {
    const sure = await confirm({
      title: t('setAside.deleteTitle', { name: row.name }),
      text: t(row.kind === 'api' ? 'setAside.deleteApiText' : 'setAside.deleteText'),
      action: t('common.delete'),
    });
    if (!sure) return;
    remove.mutate(
      { params: { kind: row.kind, id: row.id } },
      { onSuccess: () => toastDone(t('setAside.deleted', { name: row.name })), onError: toastProblem },
    );
  };
  return (
    <Button
      variant="light"
      color="red"
      size="compact-sm"
      leftSection={<Trash2 size={15} aria-hidden />}
      loading={remove.isPending}
      onClick={() => void onDelete()}
    >
      {t('common.delete')}
    </Button>
  );
}
