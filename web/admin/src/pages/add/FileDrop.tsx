import { Button, FileButton, Text } from '@mantine/core';
import { FileUp } from 'lucide-react';
import { useState } from 'react';
import { toastProblem } from '../../components/feedback/toasts.ts';
import { useText } from '../../i18n/text.tsx';
import { droppedFiles, namedFiles, type NamedFile } from './dropped-files.ts';
import styles from './SourceForm.module.css';

/** An area to drop files and folders on, or choose them from. */
export function FileDrop({ onFiles }: { onFiles: (files: NamedFile[]) => void }) {
  const t = useText();
  const [over, setOver] = useState(false);
  return (
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
        droppedFiles(event.dataTransfer).then(onFiles, toastProblem);
      }}
    >
      <FileUp size={20} strokeWidth={1.7} aria-hidden />
      <Text size="sm">{t('add.drop')}</Text>
      <FileButton onChange={(files) => onFiles(namedFiles(files))} multiple>
        {(props) => (
          <Button {...props} variant="default" size="xs">
            {t('add.choose')}
          </Button>
        )}
      </FileButton>
      <FileButton
        onChange={(files) => onFiles(namedFiles(files))}
        multiple
        inputProps={{ webkitdirectory: '' } as React.InputHTMLAttributes<HTMLInputElement>}
      >
        {(props) => (
          <Button {...props} variant="default" size="xs">
            {t('add.chooseFolder')}
          </Button>
        )}
      </FileButton>
    </div>
  );
}
