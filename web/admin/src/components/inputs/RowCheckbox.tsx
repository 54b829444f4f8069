import styles from './RowCheckbox.module.css';

interface RowCheckboxProps {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: () => void;
  readonly disabled?: boolean;
}

/** A checkbox for long tables. It is the browser's own, because a hundred of the library's take a second to render. */
export function RowCheckbox({
  label,
  checked,
  onChange,
  some = false,
}: RowCheckboxProps & { readonly some?: boolean }) {
  return (
    <input
      type="checkbox"
      className={styles.tick}
      aria-label={label}
      checked={checked}
      ref={(box) => {
        if (box !== null) box.indeterminate = some;
      }}
      onChange={onChange}
    />
  );
}

/** The same, as a switch. */
export function RowSwitch({ label, checked, onChange, disabled = false }: RowCheckboxProps) {
  return (
    <input
      type="checkbox"
      role="switch"
      className={styles.switch}
      aria-label={label}
      checked={checked}
      disabled={disabled}
      onChange={onChange}
    />
  );
}
