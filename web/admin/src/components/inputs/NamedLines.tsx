import { ActionIcon, Button, Group, Stack, TextInput } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useText } from '../../i18n/text.tsx';

/** A list of named values, with buttons to add and remove rows. */
export function NamedLines<T>({
  initial,
  empty,
  onChange,
  nameLabel,
  addLabel,
  children,
}: {
  initial: () => [name: string, value: T][];
  /** The value of a new row. */
  empty: T;
  /** Called with the rows that have a name. */
  onChange: (lines: [name: string, value: T][]) => void;
  nameLabel: string;
  addLabel: string;
  /** Edits the value of one row. */
  children: (name: string, value: T, change: (value: T) => void) => ReactNode;
}) {
  const t = useText();
  const [lines, setLines] = useState(initial);
  const change = (next: [string, T][]) => {
    setLines(next);
    onChange(next.filter(([name]) => name.trim() !== ''));
  };
  return (
    <Stack gap="xs">
      {lines.map(([name, value], at) => (
        <Group key={at} gap="xs" wrap="nowrap" align="start">
          <TextInput
            flex={2}
            miw={0}
            aria-label={nameLabel}
            placeholder={nameLabel}
            value={name}
            onChange={(event) => change(lines.with(at, [event.currentTarget.value, value]))}
          />
          {children(name, value, (next) => change(lines.with(at, [name, next])))}
          <ActionIcon
            variant="subtle"
            color="gray"
            mt={5}
            aria-label={t('common.remove')}
            onClick={() => change(lines.toSpliced(at, 1))}
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
        onClick={() => setLines([...lines, ['', empty]])}
      >
        {addLabel}
      </Button>
    </Stack>
  );
}
