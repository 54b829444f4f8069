import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { Search } from 'lucide-react';
import { useState } from 'react';

/** A search field that reports its text once typing pauses. */
export function SearchBox({
  label,
  value,
  onChange,
  waitMs = 180,
  grow = true,
}: {
  label: string;
  value: string;
  onChange: (text: string) => void;
  waitMs?: number;
  grow?: boolean;
}) {
  const [text, setText] = useState(value);
  const notify = useDebouncedCallback(onChange, waitMs);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<Search size={15} aria-hidden />}
      value={text}
      miw={0}
      flex={grow ? '1 1 220px' : undefined}
      onChange={(event) => {
        setText(event.currentTarget.value);
        notify(event.currentTarget.value);
      }}
    />
  );
}
