import { Button, PasswordInput, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../../api/client.ts';
import { useSession } from '../../app/session.tsx';
import { Loaded } from '../../components/Loaded.tsx';
import { useText } from '../../i18n/text.tsx';
import { useSubmit } from './use-submit.ts';

/** An invited admin chooses a password. */
export function InvitationForm({ token }: { token: string }) {
  const t = useText();
  const { enter } = useSession();
  const [password, setPassword] = useState('');
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => request('POST', '/invitation', { body: { token } }),
    retry: false,
  });
  const { onSubmit, busy, problem } = useSubmit(async () =>
    enter(await request('POST', '/invitation/accept', { body: { token, password } })),
  );
  return (
    <Loaded query={invitation} rows={3}>
      {({ name, role }) => (
        <form onSubmit={onSubmit}>
          <Stack gap="md">
            <Text c="dimmed">{t('signIn.invited', { name, role: t(`role.${role}`) })}</Text>
            <PasswordInput
              label={t('signIn.newPassword')}
              description={t('signIn.passwordHint')}
              visibilityToggleButtonProps={{ 'aria-label': t('common.showValue') }}
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
              error={problem}
              autoComplete="new-password"
              autoFocus
              required
              withAsterisk={false}
            />
            <Button type="submit" loading={busy} fullWidth>
              {t('signIn.accept')}
            </Button>
          </Stack>
        </form>
      )}
    </Loaded>
  );
}
