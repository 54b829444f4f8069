import { createTheme, MantineThemeProvider } from '@mantine/core';
import { modals, ModalsProvider } from '@mantine/modals';
import { notifications, Notifications } from '@mantine/notifications';
import { Check, X } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import { useText } from '../../i18n/text.tsx';

/** A confirmation to ask for. */
export interface Question {
  readonly title: string;
  readonly text: string;
  readonly action: string;
}

let onMounted = (): void => {};
const mounted = new Promise<void>((resolve) => (onMounted = resolve));

/** Asks for confirmation; false if the dialog is closed. */
export async function confirmInDialog({ title, text, action }: Question): Promise<boolean> {
  await mounted;
  return new Promise((resolve) => {
    modals.openConfirmModal({
      title,
      children: text,
      confirmProps: { children: action, color: 'red', 'data-autofocus': true },
      onConfirm: () => resolve(true),
      // Also called after a confirmation, when the promise is already resolved.
      onClose: () => resolve(false),
    });
  });
}

/** Shows a toast; errors stay longer. */
export function showToast(tone: 'good' | 'bad', message: string): void {
  notifications.show(
    tone === 'good'
      ? { message, color: 'green', icon: <Check size={18} aria-hidden />, autoClose: 3_500 }
      : { message, color: 'red', icon: <X size={18} aria-hidden />, autoClose: 9_000 },
  );
}

/** Hosts confirmations and toasts. */
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
