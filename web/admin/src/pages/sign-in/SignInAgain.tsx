import { Modal, Text } from '@mantine/core';
import { useEffect } from 'react';
import { useSession } from '../../app/account/session.tsx';
import { useText } from '../../i18n/text.tsx';
import { SignIn } from './SignIn.tsx';

/** Asks to sign in again over a page whose session ended, so that nothing on it is lost. */
export default function SignInAgain() {
  const t = useText();
  const { tryAgain } = useSession();
  // Single sign-on opens in another tab.
  useEffect(() => {
    addEventListener('focus', tryAgain);
    return () => removeEventListener('focus', tryAgain);
  }, [tryAgain]);
  return (
    <Modal
      opened
      centered
      size={380}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={t('signIn.ended')}
      onClose={() => undefined}
    >
      <Text c="dimmed" size="sm" mb="md">
        {t('signIn.endedText')}
      </Text>
      <SignIn again />
    </Modal>
  );
}
