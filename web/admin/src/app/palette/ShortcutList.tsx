import { Kbd, Modal } from '@mantine/core';
import { useText } from '../../i18n/text.tsx';
import { useHasRole } from '../account/permissions.tsx';
import { places } from '../places.ts';
import styles from './Shortcuts.module.css';

/** The global shortcuts. */
export default function ShortcutList({ onClose }: { onClose: () => void }) {
  const t = useText();
  const mayEdit = useHasRole('editor');
  const lines: [string, string[]][] = [
    [t('palette.open'), ['Ctrl/⌘ K', '/']],
    ...(mayEdit ? [[t('nav.add'), ['n']] as [string, string[]]] : []),
    [t('common.save'), ['Ctrl/⌘ S']],
    [t('tools.run'), ['Ctrl/⌘ ↵']],
    [t('shortcuts.title'), ['?']],
    ...places.map((place): [string, string[]] => [t(place.name), ['g', place.key]]),
  ];
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('shortcuts.title')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <dl className={styles.list}>
        {lines.map(([name, keys]) => (
          <div key={name} className={styles.line}>
            <dt>{name}</dt>
            <dd>
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
