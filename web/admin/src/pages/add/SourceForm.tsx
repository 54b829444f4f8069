import { Alert, Button, FileButton, Group, Text, Textarea } from '@mantine/core';
import { FileUp, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { messageOf } from '../../api/problem.ts';
import { Panel } from '../../components/Panel.tsx';
import { useText } from '../../i18n/text.tsx';
import { ByHand } from './ByHand.tsx';
import { sourceOf, sourceOfFiles, type Source } from './source.ts';
import styles from './SourceForm.module.css';
import { mono } from '../../theme/mono.ts';

interface SourceFormProps {
  readonly busy: boolean;
  readonly problem: Error | null;
  readonly onSource: (source: Source) => void;
}

/** Takes a description however it comes: dropped, pasted or by its address. */
export function SourceForm({ busy, problem, onSource }: SourceFormProps) {
  const t = useText();
  const [pasted, setPasted] = useState('');
  const [over, setOver] = useState(false);
  const source = sourceOf(pasted);
  const take = (files: readonly File[]) => void sourceOfFiles(files).then((read) => read && onSource(read));
  return (
    <>
      <Panel title={t('add.sourceTitle')} lead={t('add.sourceLead')}>
        <form
          className={styles.form}
          onSubmit={(event) => {
            event.preventDefault();
            if (source) onSource(source);
          }}
        >
          <Textarea
            aria-label={t('add.paste')}
            placeholder={t('add.paste')}
            autosize
            minRows={3}
            maxRows={14}
            styles={mono}
            autoFocus
            value={pasted}
            onChange={(event) => setPasted(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && source && ('url' in source || event.metaKey || event.ctrlKey)) {
                event.preventDefault();
                onSource(source);
              }
            }}
          />
          <div
            className={styles.drop}
            data-over={over || undefined}
            onDragOver={(event) => {
              event.preventDefault();
              setOver(true);
            }}
            onDragLeave={() => setOver(false)}
            onDrop={(event) => {
              event.preventDefault();
              setOver(false);
              take([...event.dataTransfer.files]);
            }}
          >
            <FileUp size={20} strokeWidth={1.7} aria-hidden />
            <Text size="sm">{t('add.drop')}</Text>
            <FileButton onChange={take} multiple>
              {(props) => (
                <Button {...props} variant="default" size="xs">
                  {t('add.choose')}
                </Button>
              )}
            </FileButton>
          </div>
          {problem && (
            <Alert color="red" icon={<TriangleAlert size={16} aria-hidden />} title={t('add.unreadable')}>
              {messageOf(problem)}
            </Alert>
          )}
          <Group justify="space-between">
            <Text size="sm" c="dimmed" flex="1 1 260px">
              {t('add.kinds')}
            </Text>
            <Button type="submit" loading={busy} disabled={source === null}>
              {t('add.read')}
            </Button>
          </Group>
        </form>
      </Panel>
      <ByHand />
    </>
  );
}
