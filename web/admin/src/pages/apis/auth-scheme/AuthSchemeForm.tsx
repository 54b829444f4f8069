import { Alert, Button, Divider, Select, Stack, TagsInput, TextInput } from '@mantine/core';
import { Plus } from 'lucide-react';
import type { Api } from '../../../api/resources.ts';
import layout from '../../../components/Layout.module.css';
import { useText } from '../../../i18n/text.tsx';
import { beginnings, type Auth, type Kind, type Scheme } from './new-scheme.ts';
import { HmacFields } from './HmacFields.tsx';
import { LoginFields } from './LoginFields.tsx';
import { OAuthFields } from './OAuthFields.tsx';
import { PlaceFields } from './PlaceFields.tsx';

/** How an API wants to be authenticated; every kind has its fields. The secret itself is a credential. */
export function AuthSchemeForm({ value, onChange }: { value: Api['auth']; onChange: (auth: Auth) => void }) {
  const t = useText();
  const kinds = Object.keys(beginnings) as Kind[];
  return (
    <Stack gap="md">
      <KindSelect kinds={kinds} value={value} onChange={onChange} />
      {value.kind === 'all' ? <SeveralFields value={value} onChange={onChange} /> : null}
      {value.kind !== 'all' && <SchemeFields value={value} onChange={onChange} />}
      {value.kind === 'mutual-tls' && <Alert color="gray">{t('auth.mutualTlsHint')}</Alert>}
    </Stack>
  );
}

function KindSelect<K extends Kind>({
  kinds,
  value,
  onChange,
}: {
  kinds: readonly K[];
  value: Auth;
  onChange: (auth: Extract<Auth, { kind: K }>) => void;
}) {
  const t = useText();
  return (
    <Select
      label={t('auth.kind')}
      allowDeselect={false}
      data={kinds.map((kind) => ({ value: kind, label: t(`auth.${kind as Kind}`) }))}
      value={value.kind}
      onChange={(kind) =>
        kind && kind !== value.kind && onChange(beginnings[kind as K] as Extract<Auth, { kind: K }>)
      }
    />
  );
}

const singleKinds = (Object.keys(beginnings) as Kind[]).filter(
  (kind): kind is Exclude<Kind, 'all' | 'none'> => kind !== 'all' && kind !== 'none',
);

/** Several schemes, all of them applied to each request. */
function SeveralFields({
  value,
  onChange,
}: {
  value: Extract<Auth, { kind: 'all' }>;
  onChange: (auth: Auth) => void;
}) {
  const t = useText();
  const set = (schemes: Scheme[]) => onChange({ ...value, schemes });
  return (
    <>
      {value.schemes.map((scheme, at) => (
        <Stack key={at} gap="md">
          <Divider label={t('auth.part', { number: at + 1 })} labelPosition="left" />
          <KindSelect
            kinds={singleKinds}
            value={scheme}
            onChange={(next) => set(value.schemes.with(at, next))}
          />
          <SchemeFields value={scheme} onChange={(next) => set(value.schemes.with(at, next))} />
          {value.schemes.length > 2 && (
            <Button
              size="xs"
              variant="subtle"
              color="red"
              w="fit-content"
              onClick={() => set(value.schemes.toSpliced(at, 1))}
            >
              {t('common.remove')}
            </Button>
          )}
        </Stack>
      ))}
      <Button
        size="xs"
        variant="light"
        w="fit-content"
        leftSection={<Plus size={14} aria-hidden />}
        onClick={() => set([...value.schemes, beginnings['api-key']])}
      >
        {t('auth.addPart')}
      </Button>
    </>
  );
}

function SchemeFields({ value, onChange }: { value: Scheme; onChange: (auth: Scheme) => void }) {
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
          value={value.names}
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
      return (
        <div className={layout.fields}>
          <TextInput
            label={t('auth.aws.region')}
            placeholder="us-east-1"
            required
            value={value.region}
            onChange={(event) => onChange({ ...value, region: event.currentTarget.value })}
          />
          <TextInput
            label={t('auth.aws.service')}
            description={t('auth.aws.serviceHint')}
            placeholder="execute-api"
            required
            value={value.service}
            onChange={(event) => onChange({ ...value, service: event.currentTarget.value })}
          />
        </div>
      );
  }
}
