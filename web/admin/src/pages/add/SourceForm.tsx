import { Alert, Button, Group, Text, Textarea } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { messageOf } from '../../api/problem.ts';
import { Panel } from '../../components/Panel.tsx';
import { ProblemText } from '../../components/remedies/ProblemText.tsx';
import { useText } from '../../i18n/text.tsx';
import { mono } from '../../theme/mono.ts';
import { RootFileForm } from './RootFileForm.tsx';
import { ManualApi } from './ManualApi.tsx';
import type { NamedFile } from './dropped-files.ts';
import { FileDrop } from './FileDrop.tsx';
import { sourceOf, sourceOfFiles, type Source } from './source.ts';
import styles from './SourceForm.module.css';

interface SourceFormProps {
  readonly busy: boolean;
  readonly problem: Error | null;
  readonly onSource: (source: Source) => void;
  /** Tries again what failed, where this form no longer has it. */
  readonly onRetry: (() => void) | undefined;
}

/** Takes an API description: dropped, pasted or by URL. */
export function SourceForm({ busy, problem, onSource, onRetry }: SourceFormProps) {
  const t = useText();
  const [pasted, setPasted] = useState('');
  const [files, setFiles] = useState<readonly NamedFile[]>([]);
  const source = sourceOf(pasted);
  const read = (chosen: readonly NamedFile[], root: string | null) =>
    void sourceOfFiles(chosen, root).then(onSource);
  const refused = problem && (
    <Alert color="red" icon={<TriangleAlert size={16} aria-hidden />} title={t('add.unreadable')}>
      <ProblemText
        key={messageOf(problem)}
        message={messageOf(problem)}
        retry={source === null ? onRetry : () => onSource(source)}
      />
    </Alert>
  );
  if (files.length > 1)
    return (
      <>
        {refused}
        <RootFileForm
          files={files}
          busy={busy}
          onRead={(root) => read(files, root)}
          onBack={() => setFiles([])}
        />
      </>
    );
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
          <FileDrop
            onFiles={(chosen) => {
              setFiles(chosen);
              if (chosen.length === 1) read(chosen, null);
            }}
          />
          {refused}
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
      <ManualApi />
    </>
  );
}
