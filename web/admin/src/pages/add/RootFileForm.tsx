import { Button, Group, Select, Text } from '@mantine/core';
import { useState } from 'react';
import { Panel } from '../../components/Panel.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import type { NamedFile } from './dropped-files.ts';
import styles from './SourceForm.module.css';

interface RootFileFormProps {
  readonly files: readonly NamedFile[];
  readonly busy: boolean;
  readonly onRead: (root: string | null) => void;
  readonly onBack: () => void;
}

/** For a description made of several files: which one is the root. */
export function RootFileForm({ files, busy, onRead, onBack }: RootFileFormProps) {
  const t = useText();
  const format = useFormats();
  const [root, setRoot] = useState<string | null>(null);
  return (
    <Panel title={t('add.bundle', { count: files.length })} lead={t('add.bundleLead')}>
      <ul className={styles.files}>
        {files.map(({ name, file }) => (
          <li key={name}>
            <code>{name}</code>
            <Text span size="xs" c="dimmed">
              {format.bytes(file.size)}
            </Text>
          </li>
        ))}
      </ul>
      <Group align="end" mt="md" justify="space-between">
        <Select
          label={t('add.root')}
          placeholder={t('add.rootAuto')}
          clearable
          searchable
          flex="1 1 220px"
          maw={420}
          data={files.map(({ name }) => name)}
          value={root}
          onChange={setRoot}
        />
        <Group gap="xs">
          <Button variant="default" onClick={onBack}>
            {t('common.back')}
          </Button>
          <Button loading={busy} onClick={() => onRead(root)}>
            {t('add.read')}
          </Button>
        </Group>
      </Group>
    </Panel>
  );
}
