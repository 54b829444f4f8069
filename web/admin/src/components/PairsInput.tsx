import { ActionIcon, Button, Group, Stack, TextInput } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { useText } from '../i18n/text.tsx';

/** Names with values, such as headers. */
export function PairsInput({
  value,
  onChange,
  nameLabel,
}: {
  value: Readonly<Record<string, string>>;
  onChange: (value: Record<string, string>) => void;
  nameLabel: string;
}) {
  const t = useText();
  const [pairs, setPairs] = useState<[string, string][]>(() => Object.entries(value));
  const change = (next: [string, string][]) => {
    setPairs(next);
    onChange(Object.fromEntries(next.filter(([name]) => name.trim() !== '')));
  };
  return (
    <Stack gap="xs">
      {pairs.map(([name, text], at) => (
        <Group key={at} gap="xs" wrap="nowrap">
          <TextInput
            flex={2}
            miw={0}
            aria-label={nameLabel}
            placeholder={nameLabel}
            value={name}
            onChange={(event) => change(pairs.with(at, [event.currentTarget.value, text]))}
          />
          <TextInput
            flex={3}
            miw={0}
            aria-label={t('common.value')}
            placeholder={t('common.value')}
            value={text}
            onChange={(event) => change(pairs.with(at, [name, event.currentTarget.value]))}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('common.remove')}
            onClick={() => change(pairs.toSpliced(at, 1))}
          >
            <X size={15} aria-hidden />
          </ActionIcon>
        </Group>
      ))}
      <Button
        variant="subtle"
        size="xs"
        w="fit-content"
        leftSection={<Plus size={14} aria-hidden />}
        onClick={() => setPairs([...pairs, ['', '']])}
      >
        {t('common.addOne')}
      </Button>
    </Stack>
  );
}
