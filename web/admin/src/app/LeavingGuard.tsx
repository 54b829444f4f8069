import { useEffect, useMemo, type ReactNode } from 'react';
import { Router, type AroundNavHandler } from 'wouter';
import { confirm } from '../components/feedback/confirm.ts';
import { hasUnsavedChanges } from '../editing/unsaved.ts';
import { useText } from '../i18n/text.tsx';

const base = '/admin';

let onPopState: ((event: PopStateEvent) => void) | null = null;
// Runs before the router's own listener, which would already have left the page.
addEventListener('popstate', (event) => onPopState?.(event), { capture: true });

const pathIn = (address: string): string => new URL(address, location.href).pathname;

/** Routes, and asks before leaving a page with unsaved changes: by link, Back or closing the tab. */
export function LeavingGuard({ children }: { children: ReactNode }) {
  const t = useText();
  const mayLeave = useMemo(
    () => () => confirm({ title: t('leaving.title'), text: t('leaving.text'), action: t('leaving.action') }),
    [t],
  );
  const aroundNav: AroundNavHandler = (navigate, to, options) => {
    if (!hasUnsavedChanges() || pathIn(to) === location.pathname) navigate(to, options);
    else void mayLeave().then((leaves) => leaves && navigate(to, options));
  };

  useEffect(() => {
    let here = location.href;
    const remember = () => (here = location.href);
    onPopState = (event) => {
      const wanted = location.href;
      if (!hasUnsavedChanges() || pathIn(wanted) === pathIn(here)) {
        remember();
        return;
      }
      // The browser has already moved. Go back first, and forward again once the user agrees.
      event.stopImmediatePropagation();
      history.pushState(null, '', here);
      void mayLeave().then((leaves) => leaves && history.pushState(null, '', wanted));
    };
    const onClose = (event: BeforeUnloadEvent) => {
      if (hasUnsavedChanges()) event.preventDefault();
    };
    const moves = ['pushState', 'replaceState'];
    for (const move of moves) addEventListener(move, remember);
    addEventListener('beforeunload', onClose);
    return () => {
      for (const move of moves) removeEventListener(move, remember);
      onPopState = null;
      removeEventListener('beforeunload', onClose);
    };
  }, [mayLeave]);

  return (
    <Router base={base} aroundNav={aroundNav}>
      {children}
    </Router>
  );
}
