import { JsonInput, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useText } from '../i18n/text.tsx';
import { fieldsOf, type Schema } from './fields.ts';
import { SchemaForm } from './SchemaForm.tsx';
import { mono } from '../theme/mono.ts';

interface ArgumentsFormProps {
  readonly schema: Schema;
  readonly value: Readonly<Record<string, unknown>>;
  readonly onChange: (value: Record<string, unknown>) => void;
}

/** A form generated from a tool's input schema, or the same arguments as JSON. */
export function ArgumentsForm({ schema, value, onChange }: ArgumentsFormProps) {
  const t = useText();
  const [mode, setMode] = useState<'form' | 'json'>('form');
  const fields = fieldsOf(schema);
  if (fields.length === 0 && mode === 'form' && schema['additionalProperties'] === false)
    return (
      <Text c="dimmed" size="sm">
        {t('tools.noArguments')}
      </Text>
    );
  return (
    <Stack gap="sm">
      <SegmentedControl
        size="xs"
        w="fit-content"
        aria-label={t('tools.argumentsAs')}
        value={mode}
        onChange={(next) => setMode(next)}
        data={[
          { value: 'form', label: t('tools.asForm') },
          { value: 'json', label: 'JSON' },
        ]}
      />
      {mode === 'json' ? (
        <JsonText
          label={t('tools.arguments')}
          value={value}
          onChange={(next) => onChange((next ?? {}) as Record<string, unknown>)}
        />
      ) : (
        <SchemaForm schema={schema} value={value} onChange={onChange} />
      )}
    </Stack>
  );
}

interface JsonTextProps {
  readonly label: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly placeholder?: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

/** A value typed as JSON. Invalid JSON stays in the field and isn't passed on. */
export function JsonText({ value, onChange, ...rest }: JsonTextProps) {
  const t = useText();
  const [text, setText] = useState(() => (value === undefined ? '' : JSON.stringify(value, null, 2)));
  return (
    <JsonInput
      {...rest}
      validationError={t('common.notJson')}
      autosize
      minRows={2}
      maxRows={16}
      styles={mono}
      value={text}
      onChange={(next) => {
        setText(next);
        if (next.trim() === '') return onChange(undefined);
        try {
          onChange(JSON.parse(next));
        } catch {
          // The field shows the error itself.
        }
      }}
    />
  );
}
