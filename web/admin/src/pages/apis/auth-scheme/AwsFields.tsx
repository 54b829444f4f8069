import { TextInput } from '@mantine/core';
import layout from '../../../components/Layout.module.css';
import { useText } from '../../../i18n/text.tsx';
import type { Scheme } from './scheme-types.ts';

type Aws = Extract<Scheme, { kind: 'aws-sigv4' }>;

/** The scope of AWS Signature Version 4. */
export function AwsFields({ value, onChange }: { value: Aws; onChange: (aws: Aws) => void }) {
  const t = useText();
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
