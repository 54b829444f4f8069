import { Textarea } from '@mantine/core';
import { useState } from 'react';
import { useText } from '../../i18n/text.tsx';
import { mono } from '../../theme/mono.ts';

interface SchemaInputProps {
  readonly value: Readonly<Record<string, unknown>>;
  readonly onChange: (schema: Record<string, unknown>) => void;
  readonly error?: string | null;
}

/** A JSON Schema as text. Invalid text shows an error and isn't passed on. */
export function SchemaInput({ value, onChange, error }: SchemaInputProps) {
  const t = useText();
  const written = JSON.stringify(value, null, 2);
  const [text, setText] = useState(written);
  const [last, setLast] = useState(written);
  // The value changed elsewhere: a version was restored, or edits were discarded.
  if (last !== written) {
    setLast(written);
    if (!isSame(text, written)) setText(written);
  }
  const read = readObject(text);
  return (
    <Textarea
      label={t('composed.schema')}
      description={t('composed.schemaHint')}
      autosize
      minRows={6}
      maxRows={20}
      styles={mono}
      spellCheck={false}
      value={text}
      error={read === null ? t('composed.schemaInvalid') : error}
      onChange={(event) => {
        const next = event.currentTarget.value;
        setText(next);
        const schema = readObject(next);
        if (schema !== null) onChange(schema);
      }}
    />
  );
}

function isSame(text: string, written: string): boolean {
  const read = readObject(text);
  return read !== null && JSON.stringify(read, null, 2) === written;
}

function readObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
