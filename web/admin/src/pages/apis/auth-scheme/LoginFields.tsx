import { Divider, NumberInput, Select, TagsInput, TextInput } from '@mantine/core';
import layout from '../../../components/Layout.module.css';
import { useText } from '../../../i18n/text.tsx';
import { mono } from '../../../theme/mono.ts';
import { type Scheme, withOptional } from './scheme-types.ts';
import { PlaceFields } from './PlaceFields.tsx';

type Login = Extract<Scheme, { kind: 'login' }>;

const payloads = ['json', 'form', 'query', 'headers'] as const;

/** A login request that fetches a token, and where that token is sent. */
export function LoginFields({ value, onChange }: { value: Login; onChange: (login: Login) => void }) {
  const t = useText();
  return (
    <>
      <div className={layout.fields}>
        <Select
          label={t('common.method')}
          allowDeselect={false}
          data={[...new Set(['POST', 'GET', 'PUT', value.method])]}
          value={value.method}
          onChange={(method) => method && onChange({ ...value, method })}
        />
        <Select
          label={t('auth.login.payloadIn')}
          allowDeselect={false}
          data={payloads.map((place) => ({ value: place, label: t(`auth.login.payloadIn.${place}`) }))}
          value={value.payloadIn}
          onChange={(place) => place && onChange({ ...value, payloadIn: place })}
        />
      </div>
      <TextInput
        label={t('auth.login.url')}
        type="url"
        placeholder="https://api.example.com/login"
        required
        value={value.url}
        onChange={(event) => onChange({ ...value, url: event.currentTarget.value })}
      />
      <TagsInput
        label={t('auth.login.payloadFields')}
        description={t('auth.login.payloadFieldsHint')}
        value={[...value.payloadFields]}
        onChange={(payloadFields) => onChange({ ...value, payloadFields })}
      />
      <TextInput
        label={t('auth.login.tokenPath')}
        description={t('auth.login.tokenPathHint')}
        placeholder="data.access_token"
        styles={mono}
        value={value.tokenPath ?? ''}
        onChange={(event) => onChange(withOptional(value, 'tokenPath', event.currentTarget.value))}
      />
      <Divider label={t('auth.login.place')} labelPosition="left" />
      <PlaceFields value={value.place} onChange={(place) => onChange({ ...value, place })} />
      <div className={layout.fields}>
        <NumberInput
          label={t('auth.login.ttl')}
          description={t('auth.login.ttlHint')}
          suffix=" s"
          min={1}
          allowDecimal={false}
          value={value.ttlMs === undefined ? '' : value.ttlMs / 1000}
          onChange={(seconds) =>
            onChange(withOptional(value, 'ttlMs', typeof seconds === 'number' ? seconds * 1000 : undefined))
          }
        />
        <TagsInput
          label={t('auth.login.keywords')}
          description={t('auth.login.keywordsHint')}
          value={[...(value.invalidationKeywords ?? [])]}
          onChange={(words) =>
            onChange(withOptional(value, 'invalidationKeywords', words.length === 0 ? undefined : words))
          }
        />
      </div>
    </>
  );
}
