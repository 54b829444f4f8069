import { TextInput } from '@mantine/core';
import { useText } from '../../i18n/text.tsx';
import { NamedLines } from './NamedLines.tsx';

/** Pairs of names and values, such as headers. */
export function KeyValueInput({
  value,
  onChange,
  nameLabel,
}: {
  value: Readonly<Record<string, string>>;
  onChange: (value: Record<string, string>) => void;
  nameLabel: string;
}) {
  const t = useText();
  return (
    <NamedLines
      initial={() => Object.entries(value)}
      empty=""
      onChange={(pairs) => onChange(Object.fromEntries(pairs))}
      nameLabel={nameLabel}
      addLabel={t('common.add')}
    >
      {(_name, text, change) => (
        <TextInput
          flex={3}
          miw={0}
          aria-label={t('common.value')}
          placeholder={t('common.value')}
          value={text}
          onChange={(event) => change(event.currentTarget.value)}
        />
      )}
    </NamedLines>
  );
}
