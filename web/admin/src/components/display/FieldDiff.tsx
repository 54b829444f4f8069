import { useText } from '../../i18n/text.tsx';
import styles from './FieldDiff.module.css';

interface FieldDiffProps {
  readonly change: { readonly path: string; readonly before?: unknown; readonly after?: unknown };
}

const maxValueLength = 4_000;

const show = (value: unknown): string =>
  (typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')).slice(0, maxValueLength) ||
  '“”';

/** `/operation/parameters/query limit` in readable form. */
const nameOf = (path: string): string =>
  path
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join(' › ');

/** The old and new value of one field. */
export function FieldDiff({ change }: FieldDiffProps) {
  const t = useText();
  return (
    <div className={styles.field}>
      <span className={styles.name}>{nameOf(change.path)}</span>
      <div className={styles.values}>
        {change.before !== undefined && (
          <del className={styles.before} aria-label={t('audit.before')}>
            {show(change.before)}
          </del>
        )}
        {change.after !== undefined && (
          <ins className={styles.after} aria-label={t('audit.after')}>
            {show(change.after)}
          </ins>
        )}
      </div>
    </div>
  );
}
