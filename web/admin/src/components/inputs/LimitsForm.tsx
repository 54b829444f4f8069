import { NumberInput, TextInput } from '@mantine/core';
import type { Limits } from '../../api/resources.ts';
import type { TextKey } from '../../i18n/en.ts';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import layout from '../Layout.module.css';
import { sizes, times, type Units } from './quantity.ts';
import { QuantityInput } from './QuantityInput.tsx';

type NumberLimit = Exclude<keyof Limits, 'idempotencyKeyHeader'>;

const numbers: readonly { readonly name: NumberLimit; readonly units?: Units }[] = [
  { name: 'totalTimeoutMs', units: times },
  { name: 'connectTimeoutMs', units: times },
  { name: 'firstByteTimeoutMs', units: times },
  { name: 'maxReplyBytes', units: sizes },
  { name: 'retries' },
  { name: 'maxRedirects' },
  { name: 'ratePerMinute' },
  { name: 'cacheTtlMs', units: times },
  { name: 'maxConcurrent' },
  { name: 'maxQueued' },
  { name: 'breakerFailures' },
  { name: 'breakerOpenMs', units: times },
];

/** Timeouts, retries, rates and sizes. An empty field inherits the default of the level above. */
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
      {numbers.map(({ name, units }) => {
        const label = t(`limits.${name}` satisfies TextKey);
        if (units !== undefined)
          return (
            <QuantityInput
              key={name}
              label={label}
              units={units}
              value={value[name]}
              fallback={defaults[name]}
              onChange={(next) => set(name, next)}
            />
          );
        return (
          <NumberInput
            key={name}
            label={label}
            placeholder={defaults[name] === undefined ? t('limits.default') : format.number(defaults[name])}
            thousandSeparator=" "
            min={0}
            allowDecimal={false}
            value={value[name] ?? ''}
            onChange={(next) => set(name, typeof next === 'number' ? next : undefined)}
          />
        );
      })}
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
