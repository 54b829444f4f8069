import { Modal, Stack, Text } from '@mantine/core';
import type { ReportLine } from '../../api/resources.ts';
import { Facts } from '../../components/display/Facts.tsx';
import { useText } from '../../i18n/text.tsx';

/** All that the report says about one operation. */
export function OperationNotes({ line, onClose }: { line: ReportLine; onClose: () => void }) {
  const t = useText();
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={<code>{line.operation}</code>}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <Stack gap="md">
        <Facts
          facts={[
            [t('add.tool'), line.tool && <code>{line.tool}</code>],
            [t('add.fidelity'), t(`add.${line.fidelity}`)],
            [t('common.tag'), line.tags.join(', ')],
            [t('add.place'), line.at && <code>{line.at}</code>],
          ]}
        />
        {line.notes.length === 0 ? (
          <Text size="sm" c="dimmed">
            {t('add.exactNote')}
          </Text>
        ) : (
          <Stack gap="xs">
            {line.notes.map((note, at) => (
              <div key={at}>
                <Text size="sm">{note.message}</Text>
                {note.at && (
                  <Text size="xs" c="dimmed">
                    <code>{note.at}</code>
                  </Text>
                )}
              </div>
            ))}
          </Stack>
        )}
      </Stack>
    </Modal>
  );
}
