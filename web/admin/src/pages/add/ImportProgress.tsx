import { Button, Group, Progress, Text } from '@mantine/core';
import type { ImportJob } from '../../api/resources.ts';
import { Panel } from '../../components/Panel.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { stageText } from './stage-text.ts';

/** The progress of an import, with a button to cancel it; without a job, its document is on its way. */
export function ImportProgress({ job, onCancel }: { job: ImportJob | undefined; onCancel: () => void }) {
  const t = useText();
  const format = useFormats();
  const isCounted = job !== undefined && job.total > 0;
  const isApplying = job !== undefined && !job.dryRun && job.stage === 'applying';
  return (
    <Panel>
      <Group justify="space-between" mb="xs" wrap="nowrap">
        <Text size="sm" role="status">
          {job && <b>{job.label}</b>} {job === undefined ? t('add.stage.sending') : t(stageText(job))}{' '}
          {isCounted && `${format.number(job.done)} / ${format.number(job.total)}`}
        </Text>
        {job && !isApplying && (
          <Button variant="subtle" color="gray" size="compact-sm" onClick={onCancel}>
            {t('common.cancel')}
          </Button>
        )}
      </Group>
      <Progress
        value={isCounted ? (job.done / job.total) * 100 : 100}
        animated={!isCounted}
        striped={!isCounted}
        aria-label={t('add.progress')}
      />
      {job && (
        <Text size="sm" c="dimmed" mt="xs">
          {t('add.continues')}
        </Text>
      )}
    </Panel>
  );
}
