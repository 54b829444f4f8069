import { Divider, Select, TagsInput, TextInput } from '@mantine/core';
import layout from '../../../components/Layout.module.css';
import { useText } from '../../../i18n/text.tsx';
import { mono } from '../../../theme/mono.ts';
import { type Scheme, withOptional } from './scheme-types.ts';
import { PlaceFields } from './PlaceFields.tsx';

type Hmac = Extract<Scheme, { kind: 'hmac' }>;

const parts = [
  'method',
  'path',
  'query',
  'target',
  'host',
  'body',
  'body-sha256',
  'timestamp',
  'nonce',
  'key-id',
] as const;

/** What is signed, how, and where the signature is sent. */
export function HmacFields({ value, onChange }: { value: Hmac; onChange: (hmac: Hmac) => void }) {
  const t = useText();
  return (
    <>
      <TagsInput
        label={t('auth.hmac.parts')}
        description={t('auth.hmac.partsHint')}
        data={[...parts]}
        acceptValueOnBlur
        allowDuplicates
        value={[...value.parts]}
        onChange={(next) => onChange({ ...value, parts: next })}
      />
      <div className={layout.fields}>
        <TextInput
          label={t('auth.hmac.separator')}
          description={t('auth.hmac.separatorHint')}
          styles={mono}
          value={value.separator.replaceAll('\n', '\\n')}
          onChange={(event) =>
            onChange({ ...value, separator: event.currentTarget.value.replaceAll('\\n', '\n') })
          }
        />
        <Select
          label={t('auth.hmac.algorithm')}
          allowDeselect={false}
          data={[
            { value: 'sha256', label: 'SHA-256' },
            { value: 'sha512', label: 'SHA-512' },
            { value: 'sha1', label: 'SHA-1' },
          ]}
          value={value.algorithm}
          onChange={(algorithm) => algorithm && onChange({ ...value, algorithm: algorithm })}
        />
        <Select
          label={t('auth.hmac.encoding')}
          allowDeselect={false}
          data={['hex', 'base64', 'base64url']}
          value={value.encoding}
          onChange={(encoding) => encoding && onChange({ ...value, encoding: encoding })}
        />
      </div>
      <Divider label={t('auth.hmac.place')} labelPosition="left" />
      <PlaceFields value={value.place} onChange={(place) => onChange({ ...value, place })} />
      <div className={layout.fields}>
        <TextInput
          label={t('auth.hmac.timestampHeader')}
          placeholder="X-Timestamp"
          value={value.timestampHeader ?? ''}
          onChange={(event) => onChange(withOptional(value, 'timestampHeader', event.currentTarget.value))}
        />
        <Select
          label={t('auth.hmac.timestampFormat')}
          data={(['seconds', 'milliseconds', 'rfc3339'] as const).map((format) => ({
            value: format,
            label: t(`auth.hmac.timestampFormat.${format}`),
          }))}
          clearable
          value={value.timestampFormat ?? null}
          onChange={(format) => onChange(withOptional(value, 'timestampFormat', format ?? undefined))}
        />
        <TextInput
          label={t('auth.hmac.nonceHeader')}
          placeholder="X-Nonce"
          value={value.nonceHeader ?? ''}
          onChange={(event) => onChange(withOptional(value, 'nonceHeader', event.currentTarget.value))}
        />
        <TextInput
          label={t('auth.hmac.keyIdHeader')}
          placeholder="X-Key-Id"
          value={value.keyIdHeader ?? ''}
          onChange={(event) => onChange(withOptional(value, 'keyIdHeader', event.currentTarget.value))}
        />
      </div>
    </>
  );
}
