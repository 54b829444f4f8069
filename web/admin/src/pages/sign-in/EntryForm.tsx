import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useText } from '../../i18n/text.tsx';
import { useSubmit } from './use-submit.ts';

interface EntryFormProps {
  /** Also asks for a name. */
  readonly named?: boolean;
  readonly secret: {
    readonly label: string;
    readonly hint?: string;
    readonly autoComplete: 'current-password' | 'new-password' | 'off';
  };
  readonly action: string;
  readonly send: (entered: { readonly name: string; readonly secret: string }) => Promise<void>;
  /** Shown above the fields. */
  readonly children?: ReactNode;
}

/** A sign-in form: a secret, optionally a name, and the gateway's error. */
export function EntryForm({ named = false, secret, action, send, children }: EntryFormProps) {
  const t = useText();
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const { onSubmit, busy, problem } = useSubmit(() => send({ name, secret: value }));
  return (
    <form onSubmit={onSubmit}>
      <Stack gap="md">
        {children}
        {named && (
          <TextInput
            label={t('signIn.name')}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            autoComplete="username"
            autoFocus
            required
            withAsterisk={false}
          />
        )}
        <PasswordInput
          label={secret.label}
          description={secret.hint}
          visibilityToggleButtonProps={{ 'aria-label': t('common.showValue') }}
          value={value}
          onChange={(event) => setValue(event.currentTarget.value)}
          error={problem}
          autoComplete={secret.autoComplete}
          autoFocus={!named}
          required
          withAsterisk={false}
        />
        <Button type="submit" loading={busy} fullWidth>
          {action}
        </Button>
      </Stack>
    </form>
  );
}
