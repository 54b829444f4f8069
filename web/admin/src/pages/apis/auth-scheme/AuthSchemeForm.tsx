import { Alert, Button, Divider, Select, Stack } from '@mantine/core';
import { Plus } from 'lucide-react';
import type { Api } from '../../../api/resources.ts';
import { useText } from '../../../i18n/text.tsx';
import { initialSchemes, SchemeFields } from './SchemeFields.tsx';
import type { Auth, Kind, Scheme } from './scheme-types.ts';

/** How an API authenticates requests. The secret itself is stored as a credential. */
export function AuthSchemeForm({ value, onChange }: { value: Api['auth']; onChange: (auth: Auth) => void }) {
  const t = useText();
  const kinds = Object.keys(initialSchemes) as Kind[];
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
      data={kinds.map((kind) => ({ value: kind, label: t(`auth.${kind}`) }))}
      value={value.kind}
      onChange={(kind) => kind && kind !== value.kind && onChange(initialSchemes[kind as K])}
    />
  );
}

const singleKinds = (Object.keys(initialSchemes) as Kind[]).filter(
  (kind): kind is Exclude<Kind, 'all' | 'none'> => kind !== 'all' && kind !== 'none',
);

/** Several schemes that are all applied to each request. */
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
        onClick={() => set([...value.schemes, initialSchemes['api-key']])}
      >
        {t('auth.addPart')}
      </Button>
    </>
  );
}
