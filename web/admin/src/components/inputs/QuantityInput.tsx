import { NumberInput } from '@mantine/core';
import { useState } from 'react';
import { useText } from '../../i18n/text.tsx';
import { inWords, sizeOf, unitFor, type Units } from './quantity.ts';
import styles from './QuantityInput.module.css';

interface QuantityInputProps {
  readonly label: string;
  readonly units: Units;
  /** In the smallest unit. */
  readonly value: number | undefined;
  readonly onChange: (value: number | undefined) => void;
  /** The value that applies while the field is empty, in the smallest unit. */
  readonly fallback: number | undefined;
}

/** A duration or a size, in the unit that suits it. */
export function QuantityInput({ label, units, value, onChange, fallback }: QuantityInputProps) {
  const t = useText();
  const [chosen, setChosen] = useState<string | null>(null);
  const unit = chosen ?? unitFor(value ?? fallback ?? units[1]![1], units);
  const size = sizeOf(unit, units);
  return (
    <NumberInput
      label={label}
      placeholder={fallback === undefined ? t('limits.default') : inWords(fallback, units, String)}
      min={0}
      thousandSeparator=" "
      hideControls
      value={value === undefined ? '' : value / size}
      onChange={(next) => {
        // The unit must not change while typing.
        setChosen(unit);
        onChange(typeof next === 'number' ? Math.round(next * size) : undefined);
      }}
      rightSectionWidth={72}
      rightSection={
        <select
          aria-label={t('common.unitOf', { name: label })}
          className={styles.unit}
          value={unit}
          onChange={(event) => {
            const next = event.currentTarget.value;
            setChosen(next);
            if (value !== undefined) onChange(Math.round((value / size) * sizeOf(next, units)));
          }}
        >
          {units.map(([name]) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      }
    />
  );
}
