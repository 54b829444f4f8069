import { NumberInput, TextInput } from '@mantine/core';
import type { Limits } from '../api/resources.ts';
import type { TextKey } from '../i18n/en.ts';
import { useFormats } from '../i18n/format.ts';
import { useText } from '../i18n/text.tsx';
import layout from './Layout.module.css';

type NumberLimit = Exclude<keyof Limits, 'idempotencyKeyHeader'>;

const numbers: readonly { readonly name: NumberLimit; readonly unit: string }[] = [
  { name: 'totalTimeoutMs', unit: ' ms' },
  { name: 'connectTimeoutMs', unit: ' ms' },
  { name: 'firstByteTimeoutMs', unit: ' ms' },
  { name: 'maxReplyBytes', unit: ' B' },
  { name: 'retries', unit: '' },
  { name: 'maxRedirects', unit: '' },
  { name: 'ratePerMinute', unit: '' },
  { name: 'cacheTtlMs', unit: ' ms' },
  { name: 'maxConcurrent', unit: '' },
  { name: 'maxQueued', unit: '' },
  { name: 'breakerFailures', unit: '' },
  { name: 'breakerOpenMs', unit: ' ms' },
];

/** Timeouts, retries, rates and sizes. An empty field means the default of the level above. */
export function LimitsForm({
  value,
  onChange,
  defaults = {},
}: {
  value: Limits;
  onChange: (limits: Limits) => void;
  defaults?: Limits;
}) {
  const t = useText();
  const format = useFormats();
  const set = (name: keyof Limits, next: unknown) => {
    const { [name]: _before, ...rest } = value;
    onChange(next === undefined ? rest : { ...rest, [name]: next });
  };
  return (
    <div className={layout.fields}>
      {numbers.map(({ name, unit }) => (
        <NumberInput
          key={name}
          label={t(`limits.${name}` satisfies TextKey)}
          placeholder={
            defaults[name] === undefined ? t('limits.default') : `${format.number(defaults[name])}${unit}`
          }
          suffix={unit}
          thousandSeparator=" "
          min={0}
          allowDecimal={false}
          value={value[name] ?? ''}
          onChange={(next) => set(name, typeof next === 'number' ? next : undefined)}
        />
      ))}
      <TextInput
        label={t('limits.idempotencyKeyHeader')}
        placeholder="Idempotency-Key"
        value={value.idempotencyKeyHeader ?? ''}
        onChange={(event) =>
          set(
            'idempotencyKeyHeader',
            event.currentTarget.value === '' ? undefined : event.currentTarget.value,
          )
        }
      />
    </div>
  );
}
