import type { LucideIcon } from 'lucide-react';
import { cloneElement, lazy, Suspense, useState, type ReactElement } from 'react';

/** Something that a menu offers. */
export interface Action {
  readonly name: string;
  readonly icon?: LucideIcon;
  readonly onChoose: () => void;
  /** Cannot be undone. */
  readonly grave?: boolean;
}

interface ActionMenuProps {
  /** Opens it. */
  readonly button: ReactElement<React.ButtonHTMLAttributes<HTMLButtonElement>>;
  readonly actions: readonly Action[];
}

// Menus bring half of the component library with them: they come when someone reaches for one.
const load = () => import('./OpenActionMenu.tsx');
const OpenActionMenu = lazy(load);

/** A button with a menu behind it. */
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
