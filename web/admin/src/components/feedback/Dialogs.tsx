import { createTheme, MantineThemeProvider } from '@mantine/core';
import { modals, ModalsProvider } from '@mantine/modals';
import { notifications, Notifications } from '@mantine/notifications';
import { Check, X } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import { useText } from '../../i18n/text.tsx';

/** Something to be asked before it is done. */
export interface Question {
  readonly title: string;
  readonly text: string;
  readonly action: string;
}

let onMounted = (): void => {};
const mounted = new Promise<void>((resolve) => (onMounted = resolve));

/** Asks in a dialog; false when it is closed without an answer. */
export async function askInDialog({ title, text, action }: Question): Promise<boolean> {
  await mounted;
  return new Promise((resolve) => {
    modals.openConfirmModal({
      title,
      children: text,
      confirmProps: { children: action, color: 'red', 'data-autofocus': true },
      onConfirm: () => resolve(true),
      // Comes after a confirmation too, when the answer is given already.
      onClose: () => resolve(false),
    });
  });
}

/** Says something in the corner for a moment: longer when it is bad news. */
export function showToast(tone: 'good' | 'bad', message: string): void {
  notifications.show(
    tone === 'good'
      ? { message, color: 'green', icon: <Check size={18} aria-hidden />, autoClose: 3_500 }
      : { message, color: 'red', icon: <X size={18} aria-hidden />, autoClose: 9_000 },
  );
}

/** Where questions and toasts appear. */
export default function Dialogs() {
  const t = useText();
  useEffect(() => onMounted(), []);
  const theme = useMemo(() => {
    const closeButtonProps = { 'aria-label': t('common.close') };
    return createTheme({
      components: {
        Notification: { defaultProps: { withBorder: true, closeButtonProps } },
        Modal: { defaultProps: { closeButtonProps } },
      },
    });
  }, [t]);
  return (
    <MantineThemeProvider theme={theme}>
      <ModalsProvider labels={{ confirm: '', cancel: t('common.cancel') }} />
      <Notifications position="bottom-right" limit={4} containerWidth={400} />
    </MantineThemeProvider>
  );
}
