import { Button, Group, NumberInput, Select, Stack, Switch, TagsInput, Text } from '@mantine/core';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { request } from '../../api/client.ts';
import { useChange, useGet } from '../../api/queries.ts';
import type { Settings as SettingsResource } from '../../api/resources.ts';
import { EditableFields, RequireRole } from '../../app/account/permissions.tsx';
import { confirm } from '../../components/feedback/confirm.ts';
import { Facts } from '../../components/display/Facts.tsx';
import layout from '../../components/Layout.module.css';
import { LimitsForm } from '../../components/inputs/LimitsForm.tsx';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { Page } from '../../components/Page.tsx';
import { Panel } from '../../components/Panel.tsx';
import { toastDone, toastProblem } from '../../components/feedback/toasts.ts';
import { SaveBar } from '../../editing/SaveBar.tsx';
import { useDraft } from '../../editing/use-draft.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { SetAside } from './SetAside.tsx';

/** Settings of the whole gateway. */
export default function Settings() {
  const t = useText();
  const settings = useGet('/settings', {});
  return (
    <Page title={t('nav.settings')} lead={t('settings.lead')} edits="owner">
      <SetAside />
      <Loaded query={settings}>
        {(loaded) => (
          <EditableFields role="owner">
            <Editor settings={loaded} />
          </EditableFields>
        )}
      </Loaded>
    </Page>
  );
}

function Editor({ settings }: { settings: SettingsResource }) {
  const t = useText();
  const update = useChange('PATCH', '/settings', ['/settings']);
  const draft = useDraft<SettingsResource>(
    settings,
    (changes, revision) => update.mutateAsync({ body: changes, revision }),
    () => request('GET', '/settings', {}),
  );
  const { value, set } = draft;
  const format = useFormats();
  const { fromEnvironment } = settings;
  return (
    <>
      <div className={layout.split}>
        <div className={layout.column}>
          <Panel title={t('settings.egress')} lead={t('settings.egressLead')}>
            <Stack gap="sm">
              <TagsInput
                label={t('settings.egressAllow')}
                placeholder={value.egressAllow.length === 0 ? '10.0.0.0/8, api.internal:8080' : undefined}
                value={[...value.egressAllow]}
                onChange={(egressAllow) => set({ egressAllow })}
              />
              {fromEnvironment.egressAllow.length > 0 && (
                <Text size="sm" c="dimmed">
                  {t('settings.fromEnvironment', { value: fromEnvironment.egressAllow.join(', ') })}
                </Text>
              )}
            </Stack>
          </Panel>
          <Panel title={t('settings.signIn')}>
            <Stack gap="md">
              <Select
                label={t('settings.passwordSignIn')}
                allowDeselect={false}
                data={(['everyone', 'owners'] as const).map((who) => ({
                  value: who,
                  label: t(`settings.passwordSignIn.${who}`),
                }))}
                value={value.passwordSignIn}
                onChange={(who) => who !== null && set({ passwordSignIn: who })}
              />
              <Select
                label={t('settings.secondFactor')}
                description={t('settings.secondFactorHint')}
                allowDeselect={false}
                data={(['optional', 'owners', 'everyone'] as const).map((who) => ({
                  value: who,
                  label: t(`settings.secondFactor.${who}`),
                }))}
                value={value.secondFactor}
                onChange={(who) => who !== null && set({ secondFactor: who })}
              />
            </Stack>
          </Panel>
          <Panel title={t('settings.records')}>
            <Stack gap="md">
              <NumberInput
                label={t('settings.retention')}
                description={t('settings.retentionHint')}
                min={0}
                max={3650}
                allowDecimal={false}
                value={value.retentionDays}
                onChange={(days) => typeof days === 'number' && set({ retentionDays: days })}
              />
              <NumberInput
                label={t('settings.contentRetention')}
                description={t('settings.contentRetentionHint')}
                min={0}
                max={3650}
                allowDecimal={false}
                disabled={!value.recordContents}
                value={value.contentRetentionDays}
                onChange={(days) => typeof days === 'number' && set({ contentRetentionDays: days })}
              />
              <Switch
                label={t('settings.recordContents')}
                description={t('settings.recordContentsHint')}
                checked={value.recordContents}
                onChange={(event) => set({ recordContents: event.currentTarget.checked })}
              />
              <NumberInput
                label={t('settings.auditRetention')}
                description={t('settings.auditRetentionHint')}
                min={0}
                max={3650}
                allowDecimal={false}
                value={value.auditRetentionDays}
                onChange={(days) => typeof days === 'number' && set({ auditRetentionDays: days })}
              />
              <RequireRole role="owner">
                {' '}
                <Purge />
              </RequireRole>
            </Stack>
          </Panel>
        </div>
        <Panel title={t('settings.about')}>
          <Facts
            facts={[
              [t('settings.version'), fromEnvironment.version],
              [t('settings.address'), fromEnvironment.publicUrl ?? fromEnvironment.host],
              [t('settings.database'), fromEnvironment.database === 'sqlite' ? 'SQLite' : 'PostgreSQL'],
              [
                t('settings.storedReplies'),
                t('settings.storedRepliesUsage', {
                  count: settings.keptReplies.count,
                  bytes: format.bytes(settings.keptReplies.bytes),
                  max: format.bytes(settings.keptReplies.maxBytes),
                }),
              ],
            ]}
          />
        </Panel>
      </div>
      <Panel title={t('limits.title')} lead={t('settings.limitsLead')}>
        <LimitsForm
          value={value.limits}
          defaults={settings.effectiveLimits}
          onChange={(limits) => set({ limits })}
        />
      </Panel>
      <SaveBar draft={draft} />
    </>
  );
}

function Purge() {
  const t = useText();
  const [days, setDays] = useState(30);
  const purge = useChange('POST', '/calls/purge', ['/calls', '/analytics', '/overview']);
  const onPurge = async () => {
    if (
      !(await confirm({
        title: t('settings.purgeTitle'),
        text: t('settings.purgeText', { count: days }),
        action: t('common.delete'),
      }))
    )
      return;
    purge.mutate(
      { body: { before: new Date(Date.now() - days * 86_400_000).toISOString() } },
      {
        onSuccess: ({ deleted }) => toastDone(t('settings.purged', { count: deleted })),
        onError: toastProblem,
      },
    );
  };
  return (
    <Group align="end" gap="xs">
      <NumberInput
        label={t('settings.purgeOlder')}
        w={240}
        min={0}
        allowDecimal={false}
        value={days}
        onChange={(value) => typeof value === 'number' && setDays(value)}
      />
      <Button
        variant="light"
        color="red"
        leftSection={<Trash2 size={15} aria-hidden />}
        loading={purge.isPending}
        onClick={() => void onPurge()}
      >
        {t('settings.purge')}
      </Button>
    </Group>
  );
}
