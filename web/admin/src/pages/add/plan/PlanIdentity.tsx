import { TextInput } from '@mantine/core';
import type { ImportResult } from '../../../api/resources.ts';
import layout from '../../../components/Layout.module.css';
import { Panel } from '../../../components/Panel.tsx';
import { useText } from '../../../i18n/text.tsx';
import { identityFault, plannedBaseUrl, type ApiIdentity } from './api-identity.ts';

interface PlanIdentityProps {
  readonly plan: ImportResult;
  readonly value: ApiIdentity;
  readonly onChange: (value: ApiIdentity) => void;
}

/** The API's name and base URL. */
export function PlanIdentity({ plan, value, onChange }: PlanIdentityProps) {
  const t = useText();
  const fault = identityFault(value, plan);
  return (
    <Panel title={t('identity.title')} lead={t(plan.isNewApi ? 'identity.lead' : 'identity.known')}>
      <div className={layout.fields}>
        <TextInput
          label={t('common.name')}
          required
          maxLength={500}
          error={fault === 'name' && t('identity.missing')}
          value={value.name ?? plan.name}
          onChange={(event) => onChange({ ...value, name: event.currentTarget.value })}
        />
        <TextInput
          label={t('add.slug')}
          required
          error={fault === 'api' && t('identity.missing')}
          value={value.api ?? plan.api}
          onChange={(event) => onChange({ ...value, api: event.currentTarget.value })}
        />
        <TextInput
          label={t('apis.baseUrl')}
          required
          placeholder="https://api.example.com/v1"
          error={
            fault === 'baseUrl' &&
            t(value.baseUrl === undefined ? 'identity.noBaseUrl' : 'identity.wrongBaseUrl')
          }
          value={value.baseUrl ?? plannedBaseUrl(plan)}
          onChange={(event) => onChange({ ...value, baseUrl: event.currentTarget.value })}
        />
      </div>
    </Panel>
  );
}
