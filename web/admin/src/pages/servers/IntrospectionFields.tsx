import { PasswordInput, Stack, Switch, TextInput } from '@mantine/core';
import type { Server } from '../../api/resources.ts';
import { useText } from '../../i18n/text.tsx';

type Introspection = NonNullable<Extract<Server['policy'], { kind: 'oauth' }>['introspection']>;

/** How to ask the issuer about tokens. The secret is entered here and never shown. */
export function IntrospectionFields({
  value,
  onChange,
}: {
  value: Introspection | undefined;
  onChange: (value: Introspection | undefined) => void;
}) {
  const t = useText();
  return (
    <Stack gap="xs">
      <Switch
        label={t('servers.introspection')}
        description={t('servers.introspectionHint')}
        checked={value !== undefined}
        onChange={(event) => onChange(event.currentTarget.checked ? { clientId: '' } : undefined)}
      />
      {value !== undefined && (
        <>
          <TextInput
            label={t('servers.introspectionUrl')}
            description={t('servers.introspectionUrlHint')}
            placeholder="https://id.example.com/introspect"
            value={value.url ?? ''}
            onChange={(event) => {
              const { url: _before, ...rest } = value;
              const url = event.currentTarget.value;
              onChange(url === '' ? rest : { ...rest, url });
            }}
          />
          <TextInput
            label={t('servers.clientId')}
            value={value.clientId}
            onChange={(event) => onChange({ ...value, clientId: event.currentTarget.value })}
          />
          <PasswordInput
            label={t('servers.clientSecret')}
            description={t('servers.clientSecretHint')}
            autoComplete="off"
            value={value.clientSecret ?? ''}
            onChange={(event) => {
              const { clientSecret: _before, ...rest } = value;
              const clientSecret = event.currentTarget.value;
              onChange(clientSecret === '' ? rest : { ...rest, clientSecret });
            }}
          />
        </>
      )}
    </Stack>
  );
}
