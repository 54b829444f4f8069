import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import type { AccessKey } from '../../api/resources.ts';
import { toastProblem } from '../../components/feedback/toasts.ts';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { ShowKey } from './ShowKey.tsx';

const hourMs = 3_600_000;
const overlaps = { now: 0, hour: hourMs, day: 24 * hourMs, week: 168 * hourMs, month: 720 * hourMs } as const;
type Overlap = keyof typeof overlaps;

/** Rotates a key. The old one can stay valid for a while, so that clients can be updated one by one. */
export function RotateKey({ accessKey, onClose }: { accessKey: AccessKey; onClose: () => void }) {
  const t = useText();
  const format = useFormats();
  const [overlap, setOverlap] = useState<Overlap>('day');
  const rotate = useChange('POST', '/keys/:key/rotate', ['/keys']);
  const untilMs = Math.min(
    accessKey.expiresAt === undefined ? Infinity : Date.parse(accessKey.expiresAt),
    Date.now() + overlaps[overlap],
  );
  return (
    <Modal
      opened
      onClose={onClose}
      title={rotate.data ? t('keys.ready') : t('keys.rotateTitle', { name: accessKey.name })}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      closeOnClickOutside={!rotate.data}
      closeOnEscape={!rotate.data}
    >
      {rotate.data ? (
        <ShowKey
          value={rotate.data.key}
          note={
            overlap === 'now'
              ? t('keys.oldExpired')
              : t('keys.oldWorksUntil', { when: format.moment(new Date(untilMs).toISOString()) })
          }
          onDone={onClose}
        />
      ) : (
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            {t('keys.rotateText')}
          </Text>
          <Select
            data-autofocus
            label={t('keys.overlap')}
            allowDeselect={false}
            data={(Object.keys(overlaps) as Overlap[]).map((value) => ({
              value,
              label: t(`keys.overlap.${value}`),
            }))}
            value={overlap}
            onChange={(value) => value && setOverlap(value)}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button
              loading={rotate.isPending}
              onClick={() =>
                rotate.mutate(
                  { params: { key: accessKey.id }, body: { overlapMs: overlaps[overlap] } },
                  { onError: toastProblem },
                )
              }
            >
              {t('keys.rotate')}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
