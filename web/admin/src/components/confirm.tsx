import { Button, Group, Modal, Text } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { useText } from '../i18n/text.tsx';

interface Question {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly answer: (sure: boolean) => void;
}

let asked: Question | null = null;
const listeners = new Set<() => void>();

function change(next: Question | null): void {
  asked = next;
  for (const listener of listeners) listener();
}

/** Asks before something that cannot be undone. */
export function confirm(question: Omit<Question, 'answer'>): Promise<boolean> {
  return new Promise((resolve) => {
    change({
      ...question,
      answer: (sure) => {
        change(null);
        resolve(sure);
      },
    });
  });
}

export function ConfirmDialog() {
  const t = useText();
  const question = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => asked,
  );
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
