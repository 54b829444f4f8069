import { Button, createTheme, Group, MantineThemeProvider } from '@mantine/core';
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

/** How to undo what a toast reports. */
export interface Undo {
  readonly name: string;
  readonly run: () => void;
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

/** Shows a toast; errors stay longer, and so does what can be undone. */
export function showToast(tone: 'good' | 'bad', message: string, undo?: Undo): void {
  if (undo === undefined) {
    notifications.show(
      tone === 'good'
        ? { message, color: 'green', icon: <Check size={18} aria-hidden />, autoClose: 3_500 }
        : { message, color: 'red', icon: <X size={18} aria-hidden />, autoClose: 9_000 },
    );
    return;
  }
  const onUndo = () => {
    notifications.hide(id);
    undo.run();
  };
  const id = notifications.show({
    color: 'green',
    icon: <Check size={18} aria-hidden />,
    autoClose: 10_000,
    message: (
      <Group justify="space-between" wrap="nowrap">
        <span>{message}</span>
        <Button size="compact-sm" variant="light" onClick={onUndo}>
          {undo.name}
        </Button>
      </Group>
    ),
  });
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
