import { Kbd, Modal } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useText } from '../i18n/text.tsx';
import { useMay } from './may.tsx';
import { openPalette } from './palette-state.ts';
import { addPlace, places } from './places.ts';
import styles from './Shortcuts.module.css';

const opener = new EventTarget();

/** Shows the list of shortcuts. */
export const openShortcuts = (): void => void opener.dispatchEvent(new Event('open'));

const chordMs = 1200;

/** Keys that work everywhere, and the page that lists them. */
export function Shortcuts() {
  const t = useText();
  const [, go] = useLocation();
  const mayEdit = useMay('editor');
  const [open, setOpen] = useState(false);
  const goPressed = useRef(0);
  useEffect(() => {
    const show = () => setOpen(true);
    opener.addEventListener('open', show);
    return () => opener.removeEventListener('open', show);
  }, []);
  useHotkeys([['mod+K', openPalette]], []);
  useHotkeys([
    ['/', openPalette],
    ['shift+?', openShortcuts],
    ['?', openShortcuts],
    ['N', () => (mayEdit ? go('/add') : undefined)],
    ['G', () => void (goPressed.current = Date.now())],
    ...(mayEdit ? [...places, addPlace] : places).map((place): [string, () => void] => [
      place.key.toUpperCase(),
      () => {
        if (Date.now() - goPressed.current < chordMs) go(place.href);
        goPressed.current = 0;
      },
    ]),
  ]);
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
      opened={open}
      onClose={() => setOpen(false)}
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
