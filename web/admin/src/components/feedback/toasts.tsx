import { CircleCheck, CircleX, X } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { messageOf } from '../../api/problem.ts';
import { useText } from '../../i18n/text.tsx';
import styles from './toasts.module.css';

interface Toast {
  readonly id: number;
  readonly tone: 'good' | 'bad';
  readonly text: string;
}

const shownMs = { good: 3500, bad: 9000 } as const;
let toasts: readonly Toast[] = [];
let last = 0;
const listeners = new Set<() => void>();

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function dismiss(id: number): void {
  change(toasts.filter((toast) => toast.id !== id));
}

function show(tone: Toast['tone'], text: string): void {
  const id = ++last;
  change([...toasts.slice(-3), { id, tone, text }]);
  setTimeout(() => dismiss(id), shownMs[tone]);
}

/** Says briefly that something worked. */
export const toastDone = (text: string): void => show('good', text);

/** Says what went wrong, in the gateway's own words. */
export const toastProblem = (error: unknown): void => show('bad', messageOf(error));

export function Toasts() {
  const t = useText();
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <div className={styles.region} role="status" aria-live="polite">
      {shown.map((toast) => (
        <div key={toast.id} className={styles.toast} data-tone={toast.tone}>
          {toast.tone === 'good' ? <CircleCheck size={17} aria-hidden /> : <CircleX size={17} aria-hidden />}
          <span className={styles.text}>{toast.text}</span>
          <button
            type="button"
            className={styles.close}
            aria-label={t('common.close')}
            onClick={() => dismiss(toast.id)}
          >
            <X size={15} aria-hidden />
          </button>
        </div>
      ))}
    </div>
  );
}
