import { Button, Group, Text } from '@mantine/core';
import { LockKeyhole, ShieldCheck } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Link } from 'wouter';
import { request } from '../../api/client.ts';
import { useChange } from '../../api/queries.ts';
import { useHasRole } from '../../app/account/permissions.tsx';
import { useText } from '../../i18n/text.tsx';
import { toastDone, toastProblem } from '../feedback/toasts.ts';
import { toldProblem, type Remedy } from './remedy.ts';

const CredentialDialog = lazy(() => import('../../pages/credentials/CredentialDialog.tsx'));

/** What went wrong, and a button for what can be done about it. */
export function ProblemText({ message }: { message: string }) {
  const { text, remedy } = toldProblem(message);
  if (remedy === null) return text;
  return (
    <Group gap="sm" justify="space-between">
      <Text span inherit flex="1 1 240px">
        {text}
      </Text>
      <RemedyButton remedy={remedy} />
    </Group>
  );
}

function RemedyButton({ remedy }: { remedy: Remedy }) {
  switch (remedy.kind) {
    case 'allow':
      return <AllowButton entry={remedy.entry} />;
    case 'credential':
      return <CredentialButton api={remedy.api} />;
    case 'agree':
      return <AgreeLink api={remedy.api} />;
  }
}

function AllowButton({ entry }: { entry: string }) {
  const t = useText();
  const isOwner = useHasRole('owner');
  const update = useChange('PATCH', '/settings', ['/settings']);
  if (!isOwner)
    return (
      <Text span size="sm">
        {t('remedy.ownerAllows', { entry })}
      </Text>
    );
  const allow = async () => {
    try {
      const { egressAllow, revision } = await request('GET', '/settings', {});
      await update.mutateAsync({ body: { egressAllow: [...egressAllow, entry] }, revision });
      toastDone(t('remedy.allowed', { entry }));
    } catch (error) {
      toastProblem(error);
    }
  };
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<ShieldCheck size={14} aria-hidden />}
      loading={update.isPending}
      onClick={() => void allow()}
    >
      {t('remedy.allow', { entry })}
    </Button>
  );
}

/** Opens the form for the secret of an API. */
export function CredentialButton({ api }: { api: string }) {
  const t = useText();
  const mayEdit = useHasRole('editor');
  const [open, setOpen] = useState(false);
  if (!mayEdit) return null;
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<LockKeyhole size={14} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        {t('remedy.credential')}
      </Button>
      <Suspense>{open && <CredentialDialog api={api} onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}

function AgreeLink({ api }: { api: string }) {
  const t = useText();
  return (
    <Button component={Link} href={`/apis/${api}?tab=source`} size="xs" variant="default">
      {t('remedy.agree')}
    </Button>
  );
}
