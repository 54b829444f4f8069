import { Button, Group, Text } from '@mantine/core';
import { LockKeyhole, ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { request } from '../../api/client.ts';
import { useChange } from '../../api/queries.ts';
import { useHasRole } from '../../app/account/permissions.tsx';
import { useText } from '../../i18n/text.tsx';
import { toastDone, toastProblem } from '../feedback/toasts.ts';
import { createSharedState } from '../shared-state.ts';
import { actionableProblem, type Remedy } from './remedy.ts';

/** The slug of the API whose credential form is open, or null. The app frame shows the form. */
export const credentialDialog = createSharedState<string | null>(null);

/** An error message, with a button for its remedy if there is one; `retry` repeats what failed once it is remedied. */
export function ProblemText({ message, retry }: { message: string; retry?: (() => void) | undefined }) {
  const { text, remedy } = actionableProblem(message);
  if (remedy === null) return text;
  return (
    <Group gap="sm" justify="space-between">
      <Text span inherit flex="1 1 240px">
        {text}
      </Text>
      <RemedyButton remedy={remedy} retry={retry} />
    </Group>
  );
}

function RemedyButton({ remedy, retry }: { remedy: Remedy; retry: (() => void) | undefined }) {
  switch (remedy.kind) {
    case 'allow':
      return <AllowButton entry={remedy.entry} retry={retry} />;
    case 'credential':
      return <CredentialButton api={remedy.api} />;
    case 'agree':
      return <AllowOriginLink api={remedy.api} />;
  }
}

function AllowButton({ entry, retry }: { entry: string; retry: (() => void) | undefined }) {
  const t = useText();
  const isOwner = useHasRole('owner');
  const update = useChange('PATCH', '/settings', ['/settings']);
  const [isAllowed, setIsAllowed] = useState(false);
  if (!isOwner)
    return (
      <Text span size="sm">
        {t('remedy.ownerAllows', { entry })}
      </Text>
    );
  const allow = async () => {
    try {
      const { egressAllow, revision } = await request('GET', '/settings', {});
      if (!egressAllow.includes(entry))
        await update.mutateAsync({ body: { egressAllow: [...egressAllow, entry] }, revision });
      setIsAllowed(true);
      toastDone(t(retry === undefined ? 'remedy.allowed' : 'remedy.allowedRetrying', { entry }));
      retry?.();
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
      disabled={isAllowed}
      onClick={() => void allow()}
    >
      {t('remedy.allow', { entry })}
    </Button>
  );
}

/** Opens the credential form of an API. */
export function CredentialButton({ api }: { api: string }) {
  const t = useText();
  const mayEdit = useHasRole('editor');
  if (!mayEdit) return null;
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<LockKeyhole size={14} aria-hidden />}
      onClick={() => credentialDialog.set(api)}
    >
      {t('remedy.credential')}
    </Button>
  );
}

function AllowOriginLink({ api }: { api: string }) {
  const t = useText();
  return (
    <Button component={Link} href={`/apis/${api}?tab=source`} size="xs" variant="default">
      {t('remedy.allowOrigin')}
    </Button>
  );
}
