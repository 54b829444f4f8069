import { NativeSelect, type NativeSelectProps } from '@mantine/core';
import styles from './SelectInput.module.css';

interface SelectInputProps<V extends string> extends Pick<NativeSelectProps, 'w' | 'size' | 'disabled'> {
  /** The name of the filter, shown while nothing is selected. */
  readonly name: string;
  readonly options: readonly (V | { readonly value: V; readonly label: string })[];
  readonly value: V | null;
  readonly onChange: (value: V | null) => void;
  /** A value is always selected. */
  readonly required?: boolean;
}

/** A select for filtering a list. It is the browser's own, because pages with many of the library's open slowly. */
export function SelectInput<V extends string>({
  name,
  options,
  value,
  onChange,
  required = false,
  ...look
}: SelectInputProps<V>) {
  return (
    <NativeSelect
      {...look}
      className={styles.choice}
      aria-label={name}
      data={[...(required ? [] : [{ value: '', label: name }]), ...options]}
      value={value ?? ''}
      data-nothing={value === null || undefined}
      onChange={(event) => onChange((event.currentTarget.value || null) as V | null)}
    />
  );
}
