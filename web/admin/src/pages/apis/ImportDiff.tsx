import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { ImportResult } from '../../api/resources.ts';
import { FieldDiff } from '../../components/display/FieldDiff.tsx';
import { SearchBox } from '../../components/inputs/SearchBox.tsx';
import { useText } from '../../i18n/text.tsx';
import { breaksCallers } from '../add/plan/breaks-callers.ts';
import styles from './ImportDiff.module.css';

type Kind = 'added' | 'removed' | 'changed';
type Line = { kind: Kind; tool: string; operation: string } & Partial<
  Pick<ImportResult['changed'][number], 'fields' | 'kept' | 'pending'>
>;

const tones: Readonly<Record<Kind, string>> = { added: 'green', removed: 'red', changed: 'yellow' };
const names = { added: 'apis.added', removed: 'apis.removed', changed: 'apis.changedTool' } as const;
const kinds = Object.keys(tones) as Kind[];

// A new major version can change a thousand tools; this many are rendered at first.
const linesShown = 100;

/** What a newer document adds, changes and removes, field by field. */
export function ImportDiff({ result }: { result: ImportResult }) {
  const t = useText();
  const [search, setSearch] = useState('');
  const [only, setOnly] = useState<Kind | null>(null);
  const [visible, setVisible] = useState(linesShown);
  const lines = useMemo<Line[]>(
    () => kinds.flatMap((kind) => result[kind].map((line): Line => ({ ...line, kind }))),
    [result],
  );
  const wanted = search.toLowerCase();
  const shown = lines.filter(
    (line) =>
      (only === null || line.kind === only) &&
      `${line.tool} ${line.operation} ${line.fields?.map((field) => field.path).join(' ') ?? ''}`
        .toLowerCase()
        .includes(wanted),
  );
  return (
    <Stack gap="sm">
      <Group gap="xs">
        {kinds.map((kind) => (
          <Button
            key={kind}
            size="compact-sm"
            variant={only === kind ? 'filled' : 'light'}
            color={only === kind ? undefined : tones[kind]}
            aria-pressed={only === kind}
            disabled={result[kind].length === 0}
            onClick={() => setOnly(only === kind ? null : kind)}
          >
            {t(names[kind])} {result[kind].length}
          </Button>
        ))}
        {lines.length > 8 && <SearchBox label={t('apis.searchDiff')} value={search} onChange={setSearch} />}
      </Group>
      {result.apiFields.length > 0 && only === null && (
        <div className={styles.tool}>
          {result.apiFields.map((change) => (
            <FieldDiff key={change.path} change={change} />
          ))}
        </div>
      )}
      {shown.slice(0, visible).map((line) => (
        <div key={`${line.kind} ${line.operation}`} className={styles.tool}>
          <div className={styles.line}>
            <Badge color={tones[line.kind]}>{t(names[line.kind])}</Badge> <b>{line.tool}</b>{' '}
            <Text span size="sm" c="dimmed">
              {line.operation}
            </Text>
            {(line.kind === 'removed' || breaksCallers(line.fields ?? [])) && (
              <Badge color="red" variant="outline">
                {t('add.breaks')}
              </Badge>
            )}
            {line.pending && <Badge color="orange">{t('tools.pending')}</Badge>}
          </div>
          {line.fields?.map((change) => (
            <FieldDiff key={change.path} change={change} />
          ))}
          {line.kept && line.kept.length > 0 && (
            <Text size="sm" c="dimmed">
              {t('apis.kept', { fields: line.kept.join(', ') })}
            </Text>
          )}
        </div>
      ))}
      {shown.length > visible && (
        <Button variant="default" size="xs" w="fit-content" onClick={() => setVisible(visible + linesShown)}>
          {t('apis.moreLines', { count: shown.length - visible })}
        </Button>
      )}
    </Stack>
  );
}
