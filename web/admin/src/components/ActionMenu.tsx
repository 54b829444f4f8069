import { cloneElement, lazy, Suspense, useState, type ReactElement } from 'react';
import type { Action } from './OpenActionMenu.tsx';

interface ActionMenuProps {
  /** The button that opens the menu. */
  readonly button: ReactElement<React.ButtonHTMLAttributes<HTMLButtonElement>>;
  readonly actions: readonly Action[];
}

// Menus pull in half of the component library, so they load when the pointer or focus reaches the button.
const load = () => import('./OpenActionMenu.tsx');
const OpenActionMenu = lazy(load);

/** A button that opens a menu. */
export function ActionMenu({ button, actions }: ActionMenuProps) {
  const [used, setUsed] = useState(false);
  const opener = cloneElement(button, {
    'aria-haspopup': 'menu',
    onPointerEnter: () => void load(),
    onFocus: () => void load(),
    onClick: () => setUsed(true),
  });
  if (!used) return opener;
  return (
    <Suspense fallback={opener}>
      <OpenActionMenu button={opener} actions={actions} />
    </Suspense>
  );
}
