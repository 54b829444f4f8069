import { Alert, Badge, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Fingerprint, Smartphone } from 'lucide-react';
import { useState } from 'react';
import { request } from '../../api/client.ts';
import { ProblemError } from '../../api/problem.ts';
import { useChange, useGet } from '../../api/queries.ts';
import { useSession } from '../../app/account/session.tsx';
import { confirm } from '../../components/feedback/confirm.ts';
import { EmptyState } from '../../components/feedback/EmptyState.tsx';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { toastProblem } from '../../components/feedback/toasts.ts';
import { Panel } from '../../components/Panel.tsx';
import { Row, RowList } from '../../components/tables/RowList.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { addPasskey, canUsePasskeys } from '../sign-in/passkeys.ts';
import { AuthenticatorForm, RecoveryCodes } from '../sign-in/SecondStep.tsx';
import { useSubmit } from '../sign-in/use-submit.ts';

const path = '/me/second-factors';

/** Authenticator apps, passkeys and recovery codes. */
export function SecondFactors() {
  const t = useText();
  const format = useFormats();
  const queries = useQueryClient();
  const { signOut } = useSession();
  const state = useGet(path, {});
  const [adding, setAdding] = useState<'totp' | 'passkey' | null>(null);
  const [codes, setCodes] = useState<readonly string[]>([]);
  const remove = useChange('DELETE', '/me/second-factors/:factor', [path]);
  const renew = useChange('POST', '/me/second-factors/recovery-codes', [path]);
  const onAdded = (made: readonly string[]) => {
    setAdding(null);
    setCodes(made);
    void queries.invalidateQueries({ queryKey: [path] });
  };
  const onRemove = async (factor: { readonly id: string; readonly name: string }) => {
    if (
      await confirm({
        title: t('people.removeTitle', { name: factor.name }),
        text: t('factors.removeText'),
        action: t('common.remove'),
      })
    )
      remove.mutate({ params: { factor: factor.id } }, { onError: toastProblem });
  };
  const onRenew = async () => {
    if (
      await confirm({
        title: t('factors.renew'),
        text: t('factors.renewText'),
        action: t('factors.renew'),
      })
    )
      renew.mutate({}, { onSuccess: (made) => setCodes(made.recoveryCodes), onError: toastProblem });
  };
  return (
    <Panel flush title={t('factors.title')} lead={t('factors.lead')}>
      <Loaded query={state}>
        {({ items, recoveryCodesLeft, isRequired, canChange }) => (
          <>
            {items.length === 0 ? (
              <EmptyState
                icon={Smartphone}
                title={t('factors.empty')}
                text={t(isRequired ? 'factors.emptyRequired' : 'factors.emptyText')}
              />
            ) : (
              <RowList>
                {items.map((factor) => (
                  <Row
                    key={factor.id}
                    name={factor.name}
                    badge={<Badge>{t(`factors.kind.${factor.kind}`)}</Badge>}
                    note={
                      factor.lastUsedAt === undefined
                        ? t('factors.never', { when: format.day(factor.createdAt) })
                        : t('factors.used', { when: format.ago(factor.lastUsedAt) })
                    }
                    side={
                      canChange && (
                        <Button
                          size="xs"
                          variant="subtle"
                          color="red"
                          aria-label={`${t('common.remove')}: ${factor.name}`}
                          onClick={() => void onRemove(factor)}
                        >
                          {t('common.remove')}
                        </Button>
                      )
                    }
                  />
                ))}
                <Row
                  name={t('factors.codes')}
                  note={t('factors.left', { count: recoveryCodesLeft })}
                  side={
                    canChange && (
                      <Button size="xs" variant="default" onClick={() => void onRenew()}>
                        {t('factors.renew')}
                      </Button>
                    )
                  }
                />
              </RowList>
            )}
            <Group gap="xs" p="md">
              {canChange ? (
                <>
                  <Button
                    size="xs"
                    leftSection={<Smartphone size={14} aria-hidden />}
                    onClick={() => setAdding('totp')}
                  >
                    {t('factors.addTotp')}
                  </Button>
                  {canUsePasskeys() && (
                    <Button
                      size="xs"
                      variant="default"
                      leftSection={<Fingerprint size={14} aria-hidden />}
                      onClick={() => setAdding('passkey')}
                    >
                      {t('factors.addPasskey')}
                    </Button>
                  )}
                </>
              ) : (
                <>
                  <Text size="sm" c="dimmed">
                    {t('factors.tooOld')}
                  </Text>
                  <Button size="xs" variant="default" onClick={() => void signOut()}>
                    {t('factors.signInAgain')}
                  </Button>
                </>
              )}
            </Group>
          </>
        )}
      </Loaded>
      {adding === 'totp' && <AddTotp onClose={() => setAdding(null)} onAdded={onAdded} />}
      {adding === 'passkey' && <AddPasskey onClose={() => setAdding(null)} onAdded={onAdded} />}
      <Modal
        opened={codes.length > 0}
        onClose={() => setCodes([])}
        title={t('factors.codes')}
        closeOnClickOutside={false}
        closeButtonProps={{ 'aria-label': t('common.close') }}
      >
        <Stack gap="md">
          <RecoveryCodes codes={codes} />
          <Button onClick={() => setCodes([])}>{t('factors.saved')}</Button>
        </Stack>
      </Modal>
    </Panel>
  );
}

interface AddProps {
  readonly onClose: () => void;
  readonly onAdded: (codes: readonly string[]) => void;
}

function AddTotp({ onClose, onAdded }: AddProps) {
  const t = useText();
  const [name, setName] = useState(t('factors.phone'));
  const draft = useQuery({
    queryKey: ['authenticator'],
    queryFn: () => request('POST', '/me/second-factors/authenticator', {}),
    retry: false,
    gcTime: 0,
    staleTime: Infinity,
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('factors.addTotp')}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <Loaded query={draft} rows={3}>
        {(drafted) => (
          <Stack gap="md">
            <NameInput name={name} setName={setName} />
            <AuthenticatorForm
              draft={drafted}
              send={async (code) => {
                const body = { name, draft: drafted.draft, code };
                const made = await request('POST', '/me/second-factors/authenticator/confirm', { body });
                onAdded(made.recoveryCodes);
              }}
            />
          </Stack>
        )}
      </Loaded>
    </Modal>
  );
}

function AddPasskey({ onClose, onAdded }: AddProps) {
  const t = useText();
  const [name, setName] = useState(t('factors.thisDevice'));
  const { onSubmit, busy, problem } = useSubmit(async () => {
    let made;
    try {
      made = await addPasskey(name);
    } catch (error) {
      throw error instanceof ProblemError ? error : new Error(t('factors.notMade'));
    }
    onAdded(made);
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('factors.addPasskey')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <form onSubmit={onSubmit}>
        <Stack gap="md">
          <Text c="dimmed">{t('factors.passkeyLead')}</Text>
          <NameInput name={name} setName={setName} />
          {problem !== null && <Alert color="red">{problem}</Alert>}
          <Button type="submit" loading={busy}>
            {t('factors.addPasskey')}
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}

function NameInput({ name, setName }: { name: string; setName: (name: string) => void }) {
  const t = useText();
  return (
    <TextInput
      label={t('factors.name')}
      value={name}
      maxLength={60}
      required
      withAsterisk={false}
      onChange={(event) => setName(event.currentTarget.value)}
    />
  );
}
