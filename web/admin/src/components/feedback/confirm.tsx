import { lazy, Suspense, useState, useSyncExternalStore } from 'react';

export interface Question {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly answer: (sure: boolean) => void;
}

let asked: Question | null = null;
const listeners = new Set<() => void>();

function change(next: Question | null): void {
  asked = next;
  for (const listener of listeners) listener();
}

/** Asks before something that cannot be undone. */
export function confirm(question: Omit<Question, 'answer'>): Promise<boolean> {
  return new Promise((resolve) => {
    change({
      ...question,
      answer: (sure) => {
        change(null);
        resolve(sure);
      },
    });
  });
}

const ConfirmDialog = lazy(() => import('./ConfirmDialog.tsx'));

/** Shows what is asked. The dialog is fetched with the first question. */
export function Asked() {
  const question = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => asked,
  );
  const [used, setUsed] = useState(false);
  if (question !== null && !used) setUsed(true);
  return (
    used && (
      <Suspense>
        <ConfirmDialog question={question} />
      </Suspense>
    )
  );
}
