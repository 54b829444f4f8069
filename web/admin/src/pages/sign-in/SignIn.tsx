import { Button } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useGet } from '../../api/queries.ts';
import { Brand } from '../../app/Brand.tsx';
import { useText } from '../../i18n/text.tsx';
import { InvitationForm } from './InvitationForm.tsx';
import { PasswordForm } from './PasswordForm.tsx';
import { SetupForm } from './SetupForm.tsx';
import styles from './SignIn.module.css';
import { TokenForm } from './TokenForm.tsx';

/** The door: first admin, invited admin, password or admin token. */
export default function SignIn() {
  const t = useText();
  const [location] = useLocation();
  // The part after # never leaves the browser, so links with a token do not end in logs.
  const [linkToken] = useState(() => decodeURIComponent(window.location.hash.slice(1)));
  const setup = useGet('/setup', {});
  const [byToken, setByToken] = useState<boolean | null>(null);
  const kind =
    location === '/invitation' && linkToken !== ''
      ? 'invitation'
      : location === '/setup' && linkToken !== '' && setup.data?.needed !== false
        ? 'setup'
        : (byToken ?? setup.data?.needed === true)
          ? 'token'
          : 'password';
  return (
    <main className={styles.door}>
      <div className={styles.card}>
        <Brand big />
        <h1 className={styles.title}>{t(`signIn.title.${kind}`)}</h1>
        {kind === 'setup' && <SetupForm token={linkToken} />}
        {kind === 'invitation' && <InvitationForm token={linkToken} />}
        {kind === 'token' && (
          <>
            {setup.data?.needed && <p className={styles.note}>{t('signIn.setupHint')}</p>}
            <TokenForm />
          </>
        )}
        {kind === 'password' && <PasswordForm />}
        {(kind === 'token' || kind === 'password') && (
          <Button
            variant="subtle"
            size="xs"
            mt="md"
            fullWidth
            onClick={() => setByToken(kind === 'password')}
          >
            {t(kind === 'token' ? 'signIn.withPassword' : 'signIn.withToken')}
          </Button>
        )}
      </div>
    </main>
  );
}
