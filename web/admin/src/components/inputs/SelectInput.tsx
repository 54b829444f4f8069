import { NativeSelect, type NativeSelectProps } from '@mantine/core';
import styles from './SelectInput.module.css';

interface SelectInputProps<V extends string> extends Pick<NativeSelectProps, 'w' | 'size' | 'disabled'> {
  /** What is chosen; stands in the field while nothing is. */
  readonly name: string;
  readonly options: readonly (V | { readonly value: V; readonly label: string })[];
  readonly value: V | null;
  readonly onChange: (value: V | null) => void;
  /** Something is always chosen. */
  readonly required?: boolean;
}

/** One of a few, to narrow a list: the browser's own field, because pages with many of the library's open slowly. */
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
