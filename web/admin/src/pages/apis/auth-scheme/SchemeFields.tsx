import { TagsInput } from '@mantine/core';
import { useText } from '../../../i18n/text.tsx';
import { AwsFields } from './AwsFields.tsx';
import { HmacFields } from './HmacFields.tsx';
import { LoginFields } from './LoginFields.tsx';
import { OAuthFields } from './OAuthFields.tsx';
import { PlaceFields } from './PlaceFields.tsx';
import type { Auth, Kind, Scheme } from './scheme-types.ts';

/** The initial values of each kind of scheme. */
export const initialSchemes: { readonly [K in Kind]: Extract<Auth, { kind: K }> } = {
  none: { kind: 'none' },
  'api-key': { kind: 'api-key', in: 'header', name: 'X-API-Key' },
  bearer: { kind: 'bearer' },
  basic: { kind: 'basic' },
  headers: { kind: 'headers', names: ['X-API-Key'] },
  login: {
    kind: 'login',
    method: 'POST',
    url: '',
    payloadIn: 'json',
    payloadFields: ['username', 'password'],
    tokenPath: 'access_token',
    place: { in: 'header', name: 'Authorization', prefix: 'Bearer ' },
  },
  oauth2: { kind: 'oauth2', grant: 'client_credentials', tokenUrl: '', scopes: [] },
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

/** The fields of one scheme. */
export function SchemeFields({ value, onChange }: { value: Scheme; onChange: (auth: Scheme) => void }) {
  const t = useText();
  switch (value.kind) {
    case 'none':
    case 'bearer':
    case 'basic':
    case 'mutual-tls':
      return null;
    case 'api-key': {
      const { kind, ...place } = value;
      return <PlaceFields value={place} onChange={(next) => onChange({ kind, ...next })} />;
    }
    case 'headers':
      return (
        <TagsInput
          label={t('auth.headerNames')}
          description={t('auth.headerNamesHint')}
          value={[...value.names]}
          onChange={(names) => onChange({ ...value, names })}
        />
      );
    case 'login':
      return <LoginFields value={value} onChange={onChange} />;
    case 'oauth2':
      return <OAuthFields value={value} onChange={onChange} />;
    case 'hmac':
      return <HmacFields value={value} onChange={onChange} />;
    case 'aws-sigv4':
      return <AwsFields value={value} onChange={onChange} />;
  }
}
