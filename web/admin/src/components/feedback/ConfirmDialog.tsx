import { Button, Group, Modal, Text } from '@mantine/core';
import { useText } from '../../i18n/text.tsx';
import type { Question } from './confirm.tsx';

/** The question that is being asked. */
export default function ConfirmDialog({ question }: { question: Question | null }) {
  const t = useText();
  return (
    <Modal
      opened={question !== null}
      onClose={() => question?.answer(false)}
      title={question?.title}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <Text size="sm" mb="lg">
        {question?.text}
      </Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={() => question?.answer(false)}>
          {t('common.cancel')}
        </Button>
        <Button color="red" data-autofocus onClick={() => question?.answer(true)}>
          {question?.action}
        </Button>
      </Group>
    </Modal>
  );
}
