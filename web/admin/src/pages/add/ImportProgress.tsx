import { Button, Group, Progress, Text } from '@mantine/core';
import { useGet } from '../../api/queries.ts';
import { Panel } from '../../components/Panel.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';

/** The progress of a running import, with a button to cancel it. */
export function ImportProgress({ reference, onCancel }: { reference: string; onCancel: () => void }) {
  const t = useText();
  const format = useFormats();
  const running = useGet('/imports', {}, { everyMs: 400 });
  const mine = running.data?.items.find((entry) => entry.reference === reference);
  const share = mine && mine.total > 0 ? (mine.done / mine.total) * 100 : 100;
  return (
    <Panel>
      <Group justify="space-between" mb="xs" wrap="nowrap">
        <Text size="sm" role="status">
          {mine === undefined ? t('add.stage.sending') : t(`add.stage.${mine.stage}`)}{' '}
          {mine && mine.total > 0 && `${format.number(mine.done)} / ${format.number(mine.total)}`}
        </Text>
        <Button variant="subtle" color="gray" size="compact-sm" onClick={onCancel}>
          {t('common.cancel')}
        </Button>
      </Group>
      <Progress
        value={share}
        animated={!mine || mine.total === 0}
        striped={!mine || mine.total === 0}
        aria-label={t('add.progress')}
      />
    </Panel>
  );
}
