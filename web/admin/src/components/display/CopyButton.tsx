import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { Check, Copy } from 'lucide-react';
import { useText } from '../../i18n/text.tsx';

/** Copies a text and confirms it for a moment. */
export function CopyButton({ text, label, big = false }: { text: string; label?: string; big?: boolean }) {
  const t = useText();
  const clipboard = useClipboard({ timeout: 1600 });
  const Icon = clipboard.copied ? Check : Copy;
  const words = clipboard.copied ? t('common.copied') : (label ?? t('common.copy'));
  if (big)
    return (
      <Button
        variant="default"
        leftSection={<Icon size={15} aria-hidden />}
        onClick={() => clipboard.copy(text)}
      >
        {words}
      </Button>
    );
  return (
    <Tooltip label={words}>
      <ActionIcon variant="subtle" color="gray" aria-label={words} onClick={() => clipboard.copy(text)}>
        <Icon size={15} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
