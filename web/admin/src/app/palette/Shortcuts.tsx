import { useHotkeys } from '@mantine/hooks';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useHasRole } from '../account/permissions.tsx';
import { openPalette } from './palette-state.ts';
import { addPlace, places } from '../places.ts';

const ShortcutList = lazy(() => import('./ShortcutList.tsx'));

const opener = new EventTarget();

/** Opens the list of shortcuts. */
export const openShortcuts = (): void => void opener.dispatchEvent(new Event('open'));

const chordMs = 1200;

/** Global shortcuts, and the dialog that lists them. */
export function Shortcuts() {
  const [, go] = useLocation();
  const mayEdit = useHasRole('editor');
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
  return (
    open && (
      <Suspense>
        <ShortcutList onClose={() => setOpen(false)} />
      </Suspense>
    )
  );
}
