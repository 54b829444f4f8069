import { Button, FileButton, Group, Text } from '@mantine/core';
import { FilePlus, X } from 'lucide-react';
import { toastProblem } from '../../components/feedback/toasts.ts';
import { useText } from '../../i18n/text.tsx';

/** An overlay by name. Its text is absent if only the gateway has it. */
export interface NamedOverlay {
  readonly name: string;
  readonly text?: string | undefined;
}

/** The overlays of a document, in order. Files are added at the end. */
export function OverlayFiles({
  value,
  onChange,
}: {
  value: readonly NamedOverlay[];
  onChange: (overlays: NamedOverlay[]) => void;
}) {
  const t = useText();
  const add = async (files: readonly File[]): Promise<void> => {
    const read = await Promise.all(files.map(async (file) => ({ name: file.name, text: await file.text() })));
    const names = new Set(read.map(({ name }) => name));
    onChange([...value.filter(({ name }) => !names.has(name)), ...read]);
  };
  return (
    <div>
      <Text size="sm" fw={500}>
        {t('overlays.title')}
      </Text>
      <Text size="xs" c="dimmed" mb={6}>
        {t('overlays.hint')}
      </Text>
      <Group gap="xs">
        {value.map(({ name }) => (
          <Button
            key={name}
            variant="light"
            size="compact-sm"
            rightSection={<X size={13} aria-hidden />}
            aria-label={t('overlays.remove', { name })}
            onClick={() => onChange(value.filter((overlay) => overlay.name !== name))}
          >
            {name}
          </Button>
        ))}
        <FileButton multiple onChange={(files) => void add(files).catch(toastProblem)}>
          {(props) => (
            <Button
              {...props}
              variant="default"
              size="compact-sm"
              leftSection={<FilePlus size={13} aria-hidden />}
            >
              {t('overlays.add')}
            </Button>
          )}
        </FileButton>
      </Group>
    </div>
  );
}
