import { JsonInput, NumberInput, SegmentedControl, Select, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useText } from '../i18n/text.tsx';
import { fieldsOf, type Field, type Schema } from './fields.ts';
import { mono } from '../theme/mono.ts';

interface ArgumentsFormProps {
  readonly schema: Schema;
  readonly value: Readonly<Record<string, unknown>>;
  readonly onChange: (value: Record<string, unknown>) => void;
}

/** A form made from a tool's input schema; the same arguments as JSON for whoever prefers that. */
export function ArgumentsForm({ schema, value, onChange }: ArgumentsFormProps) {
  const t = useText();
  const [mode, setMode] = useState<'form' | 'json'>('form');
  const fields = fieldsOf(schema);
  const set = (name: string, next: unknown) => {
    const { [name]: _before, ...rest } = value;
    onChange(next === undefined || next === '' ? rest : { ...rest, [name]: next });
  };
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
        fields.map((field) => (
          <FieldInput
            key={field.name}
            field={field}
            value={value[field.name]}
            onChange={(next) => set(field.name, next)}
          />
        ))
      )}
    </Stack>
  );
}

function FieldInput({
  field,
  value,
  onChange,
}: {
  field: Field;
  value: unknown;
  onChange: (value: unknown) => void;
}) {
  const common = {
    label: field.name,
    description: field.description?.slice(0, 300),
    required: field.required,
    inputWrapperOrder: ['label', 'description', 'input', 'error'] as (
      | 'label'
      | 'description'
      | 'input'
      | 'error'
    )[],
  };
  const placeholder =
    field.initial === undefined
      ? undefined
      : typeof field.initial === 'string'
        ? field.initial
        : JSON.stringify(field.initial);
  switch (field.kind) {
    case 'number':
      return (
        <NumberInput
          {...common}
          placeholder={placeholder}
          value={typeof value === 'number' ? value : ''}
          onChange={(next) => onChange(typeof next === 'number' ? next : undefined)}
        />
      );
    case 'boolean':
      return (
        <Select
          {...common}
          clearable={!field.required}
          data={['true', 'false']}
          value={typeof value === 'boolean' ? String(value) : null}
          onChange={(next) => onChange(next === null ? undefined : next === 'true')}
        />
      );
    case 'choice':
      return (
        <Select
          {...common}
          clearable={!field.required}
          searchable={(field.choices?.length ?? 0) > 8}
          data={[...new Set(field.choices)]}
          value={typeof value === 'string' ? value : null}
          onChange={(next) => onChange(next ?? undefined)}
        />
      );
    case 'json':
      return <JsonText {...common} placeholder={placeholder} value={value} onChange={onChange} />;
    case 'text':
    case 'long-text':
      return (
        <TextInput
          {...common}
          placeholder={placeholder}
          value={typeof value === 'string' ? value : ''}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
  }
}

interface JsonTextProps {
  readonly label: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly placeholder?: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

/** A value typed as JSON; what is not yet JSON stays in the field and is not passed on. */
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
          // Said by the field itself.
        }
      }}
    />
  );
}
