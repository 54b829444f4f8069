import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { request } from '../../api/client.ts';
import { useGet } from '../../api/queries.ts';
import type { SecondStep as Step, Session } from '../../api/resources.ts';
import { Brand } from '../../app/Brand.tsx';
import { useSession } from '../../app/account/session.tsx';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { useText } from '../../i18n/text.tsx';
import { EntryForm } from './EntryForm.tsx';
import { canUsePasskeys } from './passkeys.ts';
import { PasskeyButton, SecondStep } from './SecondStep.tsx';
import styles from './SignIn.module.css';

/** Sign-in: first admin, invited admin, password or admin token; `again` over a page whose session ended. */
export function SignIn({ again = false }: { again?: boolean }) {
  const t = useText();
  const { state, enter, signInWithToken } = useSession();
  const [location] = useLocation();
  // The fragment never leaves the browser, so tokens in links don't end up in logs.
  const [linkToken] = useState(() => decodeURIComponent(window.location.hash.slice(1)));
  const setup = useGet('/setup', {});
  const options = useGet('/sign-in-options', {});
  const [step, setStep] = useState<Step | null>(null);
  const proceed = (reply: Session | Step) => ('pending' in reply ? setStep(reply) : enter(reply));
  const [byToken, setByToken] = useState<boolean | null>(
    again && state.kind === 'in' ? state.session.via === 'token' : null,
  );
  const kind =
    location === '/invitation' && linkToken !== ''
      ? 'invitation'
      : location === '/setup' && linkToken !== '' && setup.data?.needed !== false
        ? 'setup'
        : (byToken ?? setup.data?.needed === true)
          ? 'token'
          : 'password';
  if (step !== null)
    return (
      <Frame
        again={again}
        title={t(step.stage === 'set-up' ? 'signIn.title.secondFactorSetUp' : 'signIn.title.secondFactor')}
      >
        <SecondStep step={step} enter={enter} />
        <Button variant="subtle" size="xs" mt="md" fullWidth onClick={() => setStep(null)}>
          {t('signIn.startOver')}
        </Button>
      </Frame>
    );
  return (
    <Frame again={again} title={t(`signIn.title.${kind}`)}>
      {kind === 'invitation' && <InvitationForm token={linkToken} proceed={proceed} />}
      {kind === 'setup' && (
        <EntryForm
          key={kind}
          named
          secret={{
            label: t('signIn.newPassword'),
            hint: t('signIn.passwordHint'),
            autoComplete: 'new-password',
          }}
          action={t('signIn.create')}
          send={async ({ name, secret }) =>
            enter(await request('POST', '/setup', { body: { token: linkToken, name, password: secret } }))
          }
        />
      )}
      {kind === 'password' && (
        <EntryForm
          key={kind}
          named
          secret={{ label: t('signIn.password'), autoComplete: 'current-password' }}
          action={t('signIn.submit')}
          send={async ({ name, secret }) =>
            proceed(await request('POST', '/session', { body: { name, password: secret } }))
          }
        />
      )}
      {kind === 'token' && (
        <EntryForm
          key={kind}
          secret={{ label: t('signIn.token'), hint: t('signIn.tokenHint'), autoComplete: 'off' }}
          action={t('signIn.submit')}
          send={({ secret }) => signInWithToken(secret.trim())}
        >
          {setup.data?.needed && <p className={styles.note}>{t('signIn.setupHint')}</p>}
        </EntryForm>
      )}
      {kind === 'password' && canUsePasskeys() && (
        <div className={styles.other}>
          <PasskeyButton enter={enter} />
        </div>
      )}
      {(kind === 'token' || kind === 'password') &&
        options.data?.providers.map(({ name, startUrl }) => (
          <Button
            key={startUrl}
            component="a"
            href={startUrl}
            // The page behind must stay as it is.
            target={again ? '_blank' : undefined}
            variant="default"
            mt="md"
            fullWidth
          >
            {t('signIn.with', { name })}
          </Button>
        ))}
      {!again && (kind === 'token' || kind === 'password') && (
        <Button variant="subtle" size="xs" mt="md" fullWidth onClick={() => setByToken(kind === 'password')}>
          {t(kind === 'token' ? 'signIn.withPassword' : 'signIn.withToken')}
        </Button>
      )}
    </Frame>
  );
}

function Frame({ again, title, children }: { again: boolean; title: string; children: ReactNode }) {
  if (again) return children;
  return (
    <main className={styles.door}>
      <div className={styles.card}>
        <Brand big />
        <h1 className={styles.title}>{title}</h1>
        {children}
      </div>
    </main>
  );
}

/** Lets an invited admin choose a password. */
function InvitationForm({ token, proceed }: { token: string; proceed: (reply: Session | Step) => void }) {
  const t = useText();
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => request('POST', '/invitation', { body: { token } }),
    retry: false,
  });
  return (
    <Loaded query={invitation} rows={3}>
      {({ name, role }) => (
        <EntryForm
          secret={{
            label: t('signIn.newPassword'),
            hint: t('signIn.passwordHint'),
            autoComplete: 'new-password',
          }}
          action={t('signIn.accept')}
          send={async ({ secret }) =>
            proceed(await request('POST', '/invitation/accept', { body: { token, password: secret } }))
          }
        >
          <Text c="dimmed">{t('signIn.invited', { name, role: t(`role.${role}`) })}</Text>
        </EntryForm>
      )}
    </Loaded>
  );
}
