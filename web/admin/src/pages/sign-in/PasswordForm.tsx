import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { request } from '../../api/client.ts';
import { useSession } from '../../app/session.tsx';
import { useText } from '../../i18n/text.tsx';
import { useSubmit } from './use-submit.ts';

/** In with a name and a password. */
export function PasswordForm() {
  const t = useText();
  const { enter } = useSession();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const { onSubmit, busy, problem } = useSubmit(async () =>
    enter(await request('POST', '/session', { body: { name, password } })),
  );
  return (
    <form onSubmit={onSubmit}>
      <Stack gap="md">
        <TextInput
          label={t('signIn.name')}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          autoComplete="username"
          autoFocus
          required
          withAsterisk={false}
        />
        <PasswordInput
          label={t('signIn.password')}
          visibilityToggleButtonProps={{ 'aria-label': t('common.showValue') }}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={problem}
          autoComplete="current-password"
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
