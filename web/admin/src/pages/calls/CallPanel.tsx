import { ActionIcon, Group } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { ArrowDown, ArrowUp, Maximize2, X } from 'lucide-react';
import { Link } from 'wouter';
import { useGet } from '../../api/queries.ts';
import { OutcomeBadge } from '../../components/display/OutcomeBadge.tsx';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { useText } from '../../i18n/text.tsx';
import { CallDetails } from './CallDetails.tsx';
import styles from './Calls.module.css';

/** A call next to the list it was selected from. Arrow keys move through the list, Escape closes it. */
export default function CallPanel({
  id,
  onMove,
  onClose,
}: {
  id: string;
  onMove: (by: 1 | -1) => void;
  onClose: () => void;
}) {
  const t = useText();
  const call = useGet('/calls/:call', { params: { call: id } }, { keep: true });
  useHotkeys([
    ['ArrowUp', () => onMove(-1)],
    ['ArrowDown', () => onMove(1)],
    ['Escape', onClose],
  ]);
  return (
    <aside className={styles.panel} aria-label={t('calls.details')}>
      <Group gap="xs" wrap="nowrap" className={styles.panelHead}>
        <h2>{call.data?.toolName || t('calls.noTool')}</h2>
        {call.data && <OutcomeBadge outcome={call.data.outcome} status={call.data.upstreamStatus} />}
        <Group gap={4} wrap="nowrap" ml="auto">
          <ActionIcon variant="default" aria-label={t('calls.newer')} onClick={() => onMove(-1)}>
            <ArrowUp size={15} aria-hidden />
          </ActionIcon>
          <ActionIcon variant="default" aria-label={t('calls.older')} onClick={() => onMove(1)}>
            <ArrowDown size={15} aria-hidden />
          </ActionIcon>
          <ActionIcon
            component={Link}
            href={`/calls/${id}`}
            variant="default"
            aria-label={t('calls.openPage')}
          >
            <Maximize2 size={14} aria-hidden />
          </ActionIcon>
          <ActionIcon variant="default" aria-label={t('common.close')} onClick={onClose}>
            <X size={15} aria-hidden />
          </ActionIcon>
        </Group>
      </Group>
      <Loaded query={call}>{(loaded) => <CallDetails call={loaded} inPanel />}</Loaded>
    </aside>
  );
}
