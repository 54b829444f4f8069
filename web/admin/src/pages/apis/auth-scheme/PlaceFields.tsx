import { Select, TextInput } from '@mantine/core';
import layout from '../../../components/Layout.module.css';
import { useText } from '../../../i18n/text.tsx';
import { type Scheme, withOptional } from './scheme-types.ts';

type Place = Extract<Scheme, { kind: 'login' }>['place'];

const places = ['header', 'query', 'cookie', 'body'] as const;

/** Where a secret or a signature goes in the request. */
export function PlaceFields({ value, onChange }: { value: Place; onChange: (place: Place) => void }) {
  const t = useText();
  return (
    <div className={layout.fields}>
      <Select
        label={t('auth.in')}
        allowDeselect={false}
        data={places.map((place) => ({ value: place, label: t(`auth.in.${place}`) }))}
        value={value.in}
        onChange={(place) => onChange({ ...value, in: place ?? 'header' })}
      />
      <TextInput
        label={t('auth.name')}
        required
        value={value.name}
        onChange={(event) => onChange({ ...value, name: event.currentTarget.value })}
      />
      <TextInput
        label={t('auth.prefix')}
        placeholder="Bearer "
        value={value.prefix ?? ''}
        onChange={(event) => onChange(withOptional(value, 'prefix', event.currentTarget.value))}
      />
    </div>
  );
}
