import { Select, Stack, TagsInput, TextInput } from '@mantine/core';
import type { Api } from '../../api/resources.ts';
import { JsonText } from '../../arguments/ArgumentsForm.tsx';
import { useText } from '../../i18n/text.tsx';

type Auth = Api['auth'];
type Kind = Auth['kind'];

/** What a scheme of each kind begins as. */
const beginnings: { readonly [K in Kind]: Extract<Auth, { kind: K }> } = {
  none: { kind: 'none' },
  'api-key': { kind: 'api-key', in: 'header', name: 'X-API-Key' },
  bearer: { kind: 'bearer' },
  basic: { kind: 'basic' },
  headers: { kind: 'headers', names: ['X-API-Key'] },
  login: {
    kind: 'login',
    method: 'POST',
    url: 'https://',
    payloadIn: 'json',
    payloadFields: ['username', 'password'],
    tokenPath: 'access_token',
    place: { in: 'header', name: 'Authorization', prefix: 'Bearer ' },
  },
  oauth2: { kind: 'oauth2', grant: 'client_credentials', tokenUrl: 'https://', scopes: [] },
  'aws-sigv4': { kind: 'aws-sigv4', region: 'us-east-1', service: 'execute-api' },
  hmac: {
    kind: 'hmac',
    algorithm: 'sha256',
    encoding: 'hex',
    parts: ['method', 'path', 'body'],
    separator: '\n',
    place: { in: 'header', name: 'X-Signature' },
  },
  'mutual-tls': { kind: 'mutual-tls' },
  all: { kind: 'all', schemes: [{ kind: 'bearer' }, { kind: 'api-key', in: 'header', name: 'X-API-Key' }] },
};

/** How an API wants to be authenticated. The common kinds have fields; the rest is edited whole. */
export function AuthSchemeForm({ value, onChange }: { value: Auth; onChange: (auth: Auth) => void }) {
  const t = useText();
  const kinds = Object.keys(beginnings) as Kind[];
  return (
    <Stack gap="md">
      <Select
        label={t('auth.kind')}
        allowDeselect={false}
        data={kinds.map((kind) => ({ value: kind, label: t(`auth.${kind}`) }))}
        value={value.kind}
        onChange={(kind) => kind && kind !== value.kind && onChange(beginnings[kind as Kind])}
      />
      <SchemeFields value={value} onChange={onChange} />
    </Stack>
  );
}

function SchemeFields({ value, onChange }: { value: Auth; onChange: (auth: Auth) => void }) {
  const t = useText();
  switch (value.kind) {
    case 'none':
    case 'bearer':
    case 'basic':
    case 'mutual-tls':
      return null;
    case 'api-key':
      return (
        <>
          <Select
            label={t('auth.in')}
            allowDeselect={false}
            data={['header', 'query', 'cookie', 'body']}
            value={value.in}
            onChange={(place) => onChange({ ...value, in: (place ?? 'header') as typeof value.in })}
          />
          <TextInput
            label={t('auth.name')}
            value={value.name}
            onChange={(event) => onChange({ ...value, name: event.currentTarget.value })}
          />
          <TextInput
            label={t('auth.prefix')}
            value={value.prefix ?? ''}
            onChange={(event) => onChange(withPrefix(value, event.currentTarget.value))}
          />
        </>
      );
    case 'headers':
      return (
        <TagsInput
          label={t('auth.headerNames')}
          value={value.names}
          onChange={(names) => onChange({ ...value, names })}
        />
      );
    case 'login':
    case 'oauth2':
    case 'aws-sigv4':
    case 'hmac':
    case 'all':
      return (
        <JsonText
          key={value.kind}
          label={t('auth.details')}
          value={value}
          onChange={(next) => next !== undefined && onChange(next as Auth)}
        />
      );
  }
}

function withPrefix(value: Extract<Auth, { kind: 'api-key' }>, prefix: string): Auth {
  const { prefix: _before, ...rest } = value;
  return prefix === '' ? rest : { ...rest, prefix };
}
