import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { request } from '../../api/client.ts';
import { useSession } from '../../app/account/session.tsx';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { useText } from '../../i18n/text.tsx';
import { EntryForm } from './EntryForm.tsx';

/** An invited admin chooses a password. */
export function InvitationForm({ token }: { token: string }) {
  const t = useText();
  const { enter } = useSession();
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
            enter(await request('POST', '/invitation/accept', { body: { token, password: secret } }))
          }
        >
          <Text c="dimmed">{t('signIn.invited', { name, role: t(`role.${role}`) })}</Text>
        </EntryForm>
      )}
    </Loaded>
  );
}
