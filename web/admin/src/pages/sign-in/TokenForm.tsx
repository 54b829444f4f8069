import { Button, PasswordInput, Stack } from '@mantine/core';
import { useState } from 'react';
import { useSession } from '../../app/session.tsx';
import { useText } from '../../i18n/text.tsx';
import { useSubmit } from './use-submit.ts';

/** In with the admin token, kept in this tab only. */
export function TokenForm() {
  const t = useText();
  const { signInWithToken } = useSession();
  const [token, setToken] = useState('');
  const { onSubmit, busy, problem } = useSubmit(() => signInWithToken(token.trim()));
  return (
    <form onSubmit={onSubmit}>
      <Stack gap="md">
        <PasswordInput
          label={t('signIn.token')}
          description={t('signIn.tokenHint')}
          visibilityToggleButtonProps={{ 'aria-label': t('common.showValue') }}
          value={token}
          onChange={(event) => setToken(event.currentTarget.value)}
          error={problem}
          autoComplete="off"
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
