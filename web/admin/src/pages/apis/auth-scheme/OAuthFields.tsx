import { Select, TagsInput, Text, TextInput } from '@mantine/core';
import { useText } from '../../../i18n/text.tsx';
import { type Scheme, withOptional } from './scheme-types.ts';

type OAuth = Extract<Scheme, { kind: 'oauth2' }>;

const grants = ['client_credentials', 'authorization_code', 'refresh_token', 'token_exchange'] as const;
const clientAuths = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'] as const;

/** How OAuth tokens are obtained. */
export function OAuthFields({ value, onChange }: { value: OAuth; onChange: (oauth: OAuth) => void }) {
  const t = useText();
  return (
    <>
      <Select
        label={t('auth.oauth.grant')}
        description={t(`auth.oauth.grantHint.${value.grant}`)}
        allowDeselect={false}
        data={grants.map((grant) => ({ value: grant, label: t(`auth.oauth.grant.${grant}`) }))}
        value={value.grant}
        onChange={(grant) => grant && onChange({ ...value, grant: grant })}
      />
      <TextInput
        label={t('auth.oauth.issuer')}
        description={t('auth.oauth.issuerHint')}
        type="url"
        placeholder="https://login.example.com"
        value={value.issuer ?? ''}
        onChange={(event) => onChange(withOptional(value, 'issuer', event.currentTarget.value))}
      />
      {value.grant === 'authorization_code' && (
        <TextInput
          label={t('auth.oauth.authorizationUrl')}
          type="url"
          required={value.issuer === undefined}
          placeholder="https://login.example.com/authorize"
          value={value.authorizationUrl ?? ''}
          onChange={(event) => onChange(withOptional(value, 'authorizationUrl', event.currentTarget.value))}
        />
      )}
      <TextInput
        label={t('auth.oauth.tokenUrl')}
        type="url"
        required={value.issuer === undefined}
        placeholder="https://login.example.com/token"
        value={value.tokenUrl ?? ''}
        onChange={(event) => onChange(withOptional(value, 'tokenUrl', event.currentTarget.value))}
      />
      <TagsInput
        label={t('auth.oauth.scopes')}
        value={[...(value.scopes ?? [])]}
        onChange={(scopes) => onChange({ ...value, scopes })}
      />
      <TextInput
        label={t('auth.oauth.audience')}
        description={t('auth.oauth.audienceHint')}
        value={value.audience ?? ''}
        onChange={(event) => onChange(withOptional(value, 'audience', event.currentTarget.value))}
      />
      <Select
        label={t('auth.oauth.clientAuth')}
        allowDeselect={false}
        data={clientAuths.map((way) => ({ value: way, label: t(`auth.oauth.clientAuth.${way}`) }))}
        value={value.clientAuth ?? 'client_secret_basic'}
        onChange={(way) => way && onChange({ ...value, clientAuth: way })}
      />
      {value.grant === 'authorization_code' && (
        <Text size="sm" c="dimmed">
          {t('auth.oauth.redirectHint', { url: `${window.location.origin}/oauth/callback` })}
        </Text>
      )}
    </>
  );
}
