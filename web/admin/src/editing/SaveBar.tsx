import { Button } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useText } from '../i18n/text.tsx';
import { ConflictDialog } from './ConflictDialog.tsx';
import styles from './SaveBar.module.css';
import type { Draft } from './use-draft.tsx';

/** Appears when something has changed, to save or discard it. */
export function SaveBar<T>({ draft }: { draft: Draft<T> }) {
  const t = useText();
  useHotkeys([['mod+S', () => (draft.dirty ? void draft.save() : undefined)]], []);
  return (
    <>
      <ConflictDialog draft={draft} />
      {draft.dirty && (
        <div className={styles.bar} role="region" aria-label={t('editing.unsaved')}>
          <span className={styles.words}>
            {draft.outdated ? t('editing.outdated') : t('editing.unsaved')}
          </span>
          <Button variant="default" size="xs" onClick={draft.discard} disabled={draft.saving}>
            {t('editing.discard')}
          </Button>
          <Button size="xs" onClick={() => void draft.save()} loading={draft.saving}>
            {t('common.save')}
          </Button>
        </div>
      )}
    </>
  );
}
