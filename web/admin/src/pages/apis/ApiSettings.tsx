import { NumberInput, Stack, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import type { Api } from '../../api/resources.ts';
import layout from '../../components/Layout.module.css';
import { Panel } from '../../components/Panel.tsx';
import { PiiRules } from '../../components/inputs/PiiRules.tsx';
import { KeyValueInput } from '../../components/inputs/KeyValueInput.tsx';
import { textOrNone } from '../../editing/empty-as-null.ts';
import type { Draft } from '../../editing/use-draft.tsx';
import { useText } from '../../i18n/text.tsx';
import { AuthSchemeForm } from './auth-scheme/AuthSchemeForm.tsx';
import { ApiIdentity } from './ApiIdentity.tsx';
import { ServerVariables } from './ServerVariables.tsx';

/** The settings of an API: name, URL, headers, authentication and network. */
export function ApiSettings({ draft }: { draft: Draft<Api> }) {
  const t = useText();
  const { value: api, set } = draft;
  return (
    <div className={layout.split}>
      <div className={layout.column}>
        <Panel title={t('apis.general')}>
          <Stack gap="md">
            <Switch
              label={t('common.enabled')}
              description={t('apis.enabledHint')}
              checked={api.enabled}
              onChange={(event) => set({ enabled: event.currentTarget.checked })}
            />
            <TextInput
              label={t('common.name')}
              value={api.name}
              onChange={(event) => set({ name: event.currentTarget.value })}
            />
            <TextInput
              label={t('common.slug')}
              description={t('apis.slugHint')}
              value={api.slug}
              onChange={(event) => set({ slug: event.currentTarget.value })}
            />
            <Textarea
              label={t('common.description')}
              autosize
              minRows={2}
              maxRows={10}
              value={api.description ?? ''}
              onChange={(event) => set({ description: textOrNone(event.currentTarget.value) })}
            />
            <TextInput
              label={t('apis.baseUrl')}
              description={t('apis.baseUrlHint')}
              value={api.baseUrl}
              onChange={(event) => set({ baseUrl: event.currentTarget.value })}
            />
            {api.serverTemplate && <ServerVariables api={api} />}
          </Stack>
        </Panel>
        <Panel title={t('apis.headers')} lead={t('apis.headersHint')}>
          <KeyValueInput
            value={api.headers}
            onChange={(headers) => set({ headers })}
            nameLabel={t('common.header')}
          />
        </Panel>
      </div>
      <div className={layout.column}>
        <Panel title={t('apis.auth')} lead={t('apis.authHint')}>
          <AuthSchemeForm value={api.auth} onChange={(auth) => set({ auth })} />
        </Panel>
        <Panel title={t('apis.network')}>
          <Stack gap="md">
            <TagsInput
              label={t('apis.egressAllow')}
              description={t('apis.egressAllowHint')}
              value={[...(api.egressAllow ?? [])]}
              onChange={(hosts) => set({ egressAllow: hosts.length === 0 ? undefined : hosts })}
            />
            <TagsInput
              label={t('apis.forwardHeaders')}
              description={t('apis.forwardHeadersHint')}
              value={[...(api.forwardHeaders ?? [])]}
              onChange={(names) => set({ forwardHeaders: names.length === 0 ? undefined : names })}
            />
            <TagsInput
              label={t('apis.allowHeaders')}
              description={t('apis.allowHeadersHint')}
              value={[...(api.allowHeaders ?? [])]}
              onChange={(names) => set({ allowHeaders: names.length === 0 ? undefined : names })}
            />
            <div className={layout.fields}>
              <TextInput
                label={t('apis.probe')}
                description={t('apis.probeHint')}
                placeholder="/health"
                value={api.probe?.path ?? ''}
                onChange={(event) => {
                  const path = event.currentTarget.value;
                  set({ probe: path === '' ? undefined : { everyMs: 60_000, ...api.probe, path } });
                }}
              />
              <NumberInput
                label={t('apis.probeEvery')}
                min={1}
                allowDecimal={false}
                disabled={api.probe === undefined}
                value={api.probe === undefined ? '' : api.probe.everyMs / 1_000}
                onChange={(seconds) =>
                  api.probe &&
                  typeof seconds === 'number' &&
                  seconds > 0 &&
                  set({ probe: { ...api.probe, everyMs: seconds * 1_000 } })
                }
              />
            </div>
            <Switch
              label={t('apis.listUnhealthy')}
              description={t('apis.listUnhealthyHint')}
              checked={api.listUnhealthy ?? false}
              onChange={(event) => set({ listUnhealthy: event.currentTarget.checked })}
            />
            <Switch
              label={t('apis.ignoreErrorBodies')}
              description={t('apis.ignoreErrorBodiesHint')}
              checked={api.ignoreErrorBodies ?? false}
              onChange={(event) => set({ ignoreErrorBodies: event.currentTarget.checked })}
            />
            <Switch
              label={t('apis.sharedCredential')}
              description={t('apis.sharedCredentialHint')}
              checked={api.sharedCredential ?? false}
              onChange={(event) => set({ sharedCredential: event.currentTarget.checked })}
            />
            <Switch
              label={t('apis.ownAccounts')}
              description={t('apis.ownAccountsHint')}
              checked={api.ownAccounts ?? false}
              error={draft.problemAt('/ownAccounts')}
              onChange={(event) => set({ ownAccounts: event.currentTarget.checked || undefined })}
            />
          </Stack>
        </Panel>
        <ApiIdentity draft={draft} />
        <PiiRules
          value={api.piiRules}
          onChange={(piiRules) => set({ piiRules })}
          problemAt={draft.problemAt}
        />
      </div>
    </div>
  );
}
