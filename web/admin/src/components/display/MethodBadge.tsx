import styles from './MethodBadge.module.css';

/** An HTTP method in its color. */
export function MethodBadge({ method }: { method: string }) {
  const upper = method.toUpperCase();
  return (
    <span className={styles.method} data-method={upper}>
      {upper}
    </span>
  );
}
