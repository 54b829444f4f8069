import { Alert, Button, Group, Stack } from '@mantine/core';
import { KeyRound } from 'lucide-react';
import { CodeBlock } from '../../components/display/CodeBlock.tsx';
import { CopyButton } from '../../components/display/CopyButton.tsx';
import { useText } from '../../i18n/text.tsx';

/** A new key, shown only once. */
export function ShowKey({ value, note, onDone }: { value: string; note?: string; onDone: () => void }) {
  const t = useText();
  return (
    <Stack gap="md">
      <Alert color="brand" icon={<KeyRound size={16} aria-hidden />} title={t('keys.shownOnce')}>
        {note ?? t('keys.shownOnceText')}
      </Alert>
      <CodeBlock text={value} label={t('keys.theKey')} />
      <Group justify="flex-end" gap="xs">
        <CopyButton big text={value} />
        <Button onClick={onDone}>{t('common.done')}</Button>
      </Group>
    </Stack>
  );
}
