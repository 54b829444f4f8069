import { Badge, Stack, Text } from '@mantine/core';
import type { ImportResult } from '../../api/resources.ts';
import { useText } from '../../i18n/text.tsx';
import styles from './ImportDiff.module.css';

const show = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);

/** What a newer document adds, changes and takes away, field by field. */
export function ImportDiff({ result }: { result: ImportResult }) {
  const t = useText();
  const field = (change: { path: string; before?: unknown; after?: unknown }) => (
    <div key={change.path} className={styles.field}>
      <code>{change.path}</code>
      {change.before !== undefined && <del>{show(change.before).slice(0, 400)}</del>}
      {change.after !== undefined && <ins>{show(change.after).slice(0, 400)}</ins>}
    </div>
  );
  return (
    <Stack gap="sm">
      {result.apiFields.length > 0 && <div className={styles.tool}>{result.apiFields.map(field)}</div>}
      {result.added.map((line) => (
        <div key={line.operation} className={styles.line}>
          <Badge color="green">{t('apis.added')}</Badge> <b>{line.tool}</b>{' '}
          <Text span size="sm" c="dimmed">
            {line.operation}
          </Text>
        </div>
      ))}
      {result.removed.map((line) => (
        <div key={line.operation} className={styles.line}>
          <Badge color="red">{t('apis.removed')}</Badge> <b>{line.tool}</b>{' '}
          <Text span size="sm" c="dimmed">
            {line.operation}
          </Text>
        </div>
      ))}
      {result.changed.map((line) => (
        <div key={line.operation} className={styles.tool}>
          <div className={styles.line}>
            <Badge color="yellow">{t('apis.changedTool')}</Badge> <b>{line.tool}</b>{' '}
            <Text span size="sm" c="dimmed">
              {line.operation}
            </Text>
            {line.pending && <Badge color="orange">{t('tools.pending')}</Badge>}
          </div>
          {line.fields.map(field)}
          {line.kept.length > 0 && (
            <Text size="sm" c="dimmed">
              {t('apis.kept', { fields: line.kept.join(', ') })}
            </Text>
          )}
        </div>
      ))}
    </Stack>
  );
}
