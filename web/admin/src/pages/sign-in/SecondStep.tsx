import { Alert, Anchor, Button, Code, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fingerprint } from 'lucide-react';
import { useState } from 'react';
import { request } from '../../api/client.ts';
import { ProblemError } from '../../api/problem.ts';
import type { SecondStep as Step, Session } from '../../api/resources.ts';
import { CodeBlock } from '../../components/display/CodeBlock.tsx';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { QrCode } from '../../components/qr/QrCode.tsx';
import { useText } from '../../i18n/text.tsx';
import { canUsePasskeys, signInWithPasskey } from './passkeys.ts';
import { useSubmit } from './use-submit.ts';

interface StepProps {
  readonly step: Step;
  readonly enter: (session: Session) => void;
}

/** The second step of signing in: a code, a passkey, or setting one up. */
export function SecondStep({ step, enter }: StepProps) {
  return step.stage === 'set-up' ? (
    <SetUp step={step} enter={enter} />
  ) : (
    <Stack gap="md">
      {step.kinds.includes('passkey') && canUsePasskeys() && <PasskeyButton step={step} enter={enter} />}
      <CodeForm step={step} enter={enter} />
    </Stack>
  );
}

function CodeForm({ step, enter }: StepProps) {
  const t = useText();
  const [code, setCode] = useState('');
  const { onSubmit, busy, problem } = useSubmit(async () =>
    enter(await request('POST', '/session/code', { body: { pending: step.pending, code } })),
  );
  return (
    <form onSubmit={onSubmit}>
      <Stack gap="md">
        <TextInput
          label={t('factors.code')}
          description={t(step.kinds.includes('totp') ? 'factors.codeLead' : 'factors.recoveryLead')}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          error={problem}
          autoComplete="one-time-code"
          autoFocus
          required
          withAsterisk={false}
        />
        <Button type="submit" loading={busy} fullWidth>
          {t('signIn.submit')}
        </Button>
      </Stack>
    </form>
  );
}

/** Signs in with a passkey; without a step, instead of a password. */
export function PasskeyButton({ step, enter }: { step?: Step; enter: (session: Session) => void }) {
  const t = useText();
  const { onSubmit, busy, problem } = useSubmit(async () => {
    let session;
    try {
      session = await signInWithPasskey(step?.pending);
    } catch (error) {
      // What browsers say here is meant for developers.
      throw error instanceof ProblemError ? error : new Error(t('factors.passkeyFailed'));
    }
    enter(session);
  });
  return (
    <form onSubmit={onSubmit}>
      <Button
        type="submit"
        variant="default"
        fullWidth
        loading={busy}
        leftSection={<Fingerprint size={16} aria-hidden />}
      >
        {t('factors.usePasskey')}
      </Button>
      {problem !== null && (
        <Text size="sm" c="red" mt={6} role="alert">
          {problem}
        </Text>
      )}
    </form>
  );
}

function SetUp({ step, enter }: StepProps) {
  const t = useText();
  const [done, setDone] = useState<(Session & { readonly recoveryCodes: readonly string[] }) | null>(null);
  const draft = useQuery({
    queryKey: ['authenticator', step.pending],
    queryFn: () => request('POST', '/session/authenticator', { body: { pending: step.pending } }),
    retry: false,
    staleTime: Infinity,
  });
  if (done !== null)
    return (
      <Stack gap="md">
        <RecoveryCodes codes={done.recoveryCodes} />
        <Button onClick={() => enter(done)} fullWidth>
          {t('factors.saved')}
        </Button>
      </Stack>
    );
  return (
    <Loaded query={draft} rows={3}>
      {(drafted) => (
        <Stack gap="md">
          <Text c="dimmed">{t('factors.setUpLead')}</Text>
          <AuthenticatorForm
            draft={drafted}
            send={async (code) =>
              setDone(
                await request('POST', '/session/authenticator/confirm', {
                  body: { pending: step.pending, draft: drafted.draft, code },
                }),
              )
            }
          />
        </Stack>
      )}
    </Loaded>
  );
}

/** Shows the secret of an authenticator app and asks for the first code. */
export function AuthenticatorForm({
  draft: { uri, secret },
  send,
}: {
  draft: { readonly uri: string; readonly secret: string };
  send: (code: string) => Promise<void>;
}) {
  const t = useText();
  const [code, setCode] = useState('');
  const { onSubmit, busy, problem } = useSubmit(() => send(code));
  return (
    <form onSubmit={onSubmit}>
      <Stack gap="md">
        <Text size="sm">{t('factors.scan')}</Text>
        <QrCode text={uri} label={t('factors.qr')} />
        <Text size="sm">
          <Anchor href={uri}>{t('factors.open')}</Anchor> · {t('factors.key')}{' '}
          <Code style={{ overflowWrap: 'anywhere' }}>{secret.replace(/(.{4})(?!$)/g, '$1 ')}</Code>
        </Text>
        <TextInput
          label={t('factors.firstCode')}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          error={problem}
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          withAsterisk={false}
        />
        <Button type="submit" loading={busy}>
          {t('factors.confirm')}
        </Button>
      </Stack>
    </form>
  );
}

/** Recovery codes, which are shown once. */
export function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  const t = useText();
  return (
    <Stack gap="md">
      <Alert color="brand">{t('factors.codesLead')}</Alert>
      <CodeBlock text={codes.join('\n')} label={t('factors.codes')} />
    </Stack>
  );
}
