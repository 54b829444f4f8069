import { Badge, Modal, Stack, Text } from '@mantine/core';
import type { ReportLine } from '../../../api/resources.ts';
import { Facts } from '../../../components/display/Facts.tsx';
import { useFormats } from '../../../i18n/format.ts';
import { useText } from '../../../i18n/text.tsx';
import styles from './OperationNotes.module.css';

/** One operation of a plan: what it does, its arguments, and how faithfully it was imported. */
export function OperationNotes({ line, onClose }: { line: ReportLine; onClose: () => void }) {
  const t = useText();
  const format = useFormats();
  const taken = line.arguments ?? [];
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={<code>{line.operation}</code>}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <Stack gap="md">
        {line.description !== undefined && <Text className={styles.description}>{line.description}</Text>}
        <Facts
          facts={[
            [t('add.tool'), line.tool && <code>{line.tool}</code>],
            [t('tools.tokens'), line.tokens === undefined ? undefined : format.number(line.tokens)],
            [t('add.fidelity'), t(`add.${line.fidelity}`)],
            [t('common.tag'), line.tags.join(', ')],
            [t('add.location'), line.at && <code>{line.at}</code>],
          ]}
        />
        {line.arguments !== undefined && (
          <section aria-label={t('tools.arguments')}>
            <Text fw={600} mb={6}>
              {t('tools.arguments')}
            </Text>
            {taken.length === 0 ? (
              <Text size="sm" c="dimmed">
                {t('tools.noArguments')}
              </Text>
            ) : (
              <ul className={styles.arguments}>
                {taken.map(({ name, type, required }) => (
                  <li key={name}>
                    <code>{name}</code>
                    <Text span size="xs" c="dimmed">
                      {type}
                    </Text>
                    {required && (
                      <Badge size="xs" color="gray">
                        {t('common.required')}
                      </Badge>
                    )}
                  </li>
                ))}
              </ul>
            )}
          </section>
        )}
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
