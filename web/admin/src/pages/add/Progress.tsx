import { Progress as ProgressBar, Text } from '@mantine/core';
import { useGet } from '../../api/queries.ts';
import { Panel } from '../../components/Panel.tsx';
import { useText } from '../../i18n/text.tsx';

/** How far a running import is. */
export function Progress() {
  const t = useText();
  const running = useGet('/imports', {}, { everyMs: 400 });
  const mine = running.data?.items.at(-1);
  const share = mine && mine.total > 0 ? (mine.done / mine.total) * 100 : 100;
  return (
    <Panel>
      <Text size="sm" mb="xs" role="status">
        {mine === undefined ? t('add.stage.reading') : t(`add.stage.${mine.stage}`)}{' '}
        {mine && mine.total > 0 && `${mine.done} / ${mine.total}`}
      </Text>
      <ProgressBar
        value={share}
        animated={!mine || mine.total === 0}
        striped={!mine || mine.total === 0}
        aria-label={t('add.progress')}
      />
    </Panel>
  );
}
