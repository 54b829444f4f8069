import { Alert, Button, Modal, Stack } from '@mantine/core';
import { useText } from '../../i18n/text.tsx';
import { CodeBlock } from '../display/CodeBlock.tsx';

interface ShownOnceProps {
  readonly title: string;
  readonly text: string;
  /** The secret, until the dialog is closed; null closes it. */
  readonly value: string | null;
  readonly onClose: () => void;
}

/** A dialog with something that can't be shown again, such as a new key; only its buttons close it. */
export function ShownOnce({ title, text, value, onClose }: ShownOnceProps) {
  const t = useText();
  return (
    <Modal
      opened={value !== null}
      onClose={onClose}
      title={title}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <Stack gap="md">
        <Alert color="brand">{text}</Alert>
        <CodeBlock text={value ?? ''} label={title} />
        <Button onClick={onClose}>{t('common.done')}</Button>
      </Stack>
    </Modal>
  );
}
