import { NumberInput, Select, Stack, Switch, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import type { Server } from '../../api/resources.ts';
import layout from '../../components/Layout.module.css';
import { confirm } from '../../components/feedback/confirm.ts';
import { Panel } from '../../components/Panel.tsx';
import { PiiRules } from '../../components/inputs/PiiRules.tsx';
import { textOrNone } from '../../editing/empty-as-null.ts';
import type { Draft } from '../../editing/use-draft.tsx';
import { useText } from '../../i18n/text.tsx';
import { AccessRules } from './AccessRules.tsx';
import { DialectField } from './DialectField.tsx';
import { IntrospectionFields } from './IntrospectionFields.tsx';
import { ToolScopes } from './ToolScopes.tsx';

type Policy = Server['policy'];

const policies: { readonly [K in Policy['kind']]: Extract<Policy, { kind: K }> } = {
  open: { kind: 'open' },
  key: { kind: 'key' },
  'sign-in': { kind: 'sign-in' },
  basic: { kind: 'basic' },
  oauth: { kind: 'oauth', issuer: 'https://' },
};

/** A server's description, access and limits. */
export function ServerSettings({ draft }: { draft: Draft<Server> }) {
  const t = useText();
  const { value: server, set } = draft;
  const choose = async (kind: Policy['kind']) => {
    const isMeant =
      kind !== 'open' ||
      (await confirm({
        title: t('servers.openTitle', { name: server.name }),
        text: t('servers.openText'),
        action: t('servers.openAction'),
      }));
    if (isMeant) set({ policy: policies[kind] });
  };
  return (
    <div className={layout.split}>
      <Panel title={t('apis.general')}>
        <Stack gap="md">
          <Switch
            label={t('common.enabled')}
            checked={server.enabled}
            onChange={(event) => set({ enabled: event.currentTarget.checked })}
          />
          <TextInput
            label={t('common.name')}
            error={draft.problemAt('/name')}
            value={server.name}
            onChange={(event) => set({ name: event.currentTarget.value })}
          />
          <TextInput
            label={t('common.slug')}
            error={draft.problemAt('/slug')}
            description={`/mcp/${server.slug}`}
            value={server.slug}
            onChange={(event) => set({ slug: event.currentTarget.value })}
          />
          <Textarea
            label={t('common.description')}
            autosize
            minRows={2}
            value={server.description ?? ''}
            onChange={(event) => set({ description: textOrNone(event.currentTarget.value) })}
          />
          <TextInput
            label={t('servers.icon')}
            error={draft.problemAt('/icons/0/src')}
            description={t('servers.iconHint')}
            placeholder="https://example.com/icon.png"
            value={server.icons?.[0]?.src ?? ''}
            onChange={(event) => {
              const src = event.currentTarget.value;
              const others = server.icons?.slice(1) ?? [];
              set({ icons: src === '' ? (others.length > 0 ? others : undefined) : [{ src }, ...others] });
            }}
          />
          <Textarea
            label={t('servers.instructions')}
            description={t('servers.instructionsHint')}
            autosize
            minRows={4}
            maxRows={16}
            value={server.instructions ?? ''}
            onChange={(event) => set({ instructions: textOrNone(event.currentTarget.value) })}
          />
        </Stack>
      </Panel>
      <div className={layout.column}>
        <Panel title={t('servers.policy')} lead={t('servers.policyLead')}>
          <Stack gap="md">
            <Select
              label={t('servers.policy')}
              allowDeselect={false}
              data={(Object.keys(policies) as Policy['kind'][]).map((kind) => ({
                value: kind,
                label: t(`policy.${kind}`),
              }))}
              value={server.policy.kind}
              onChange={(kind) => kind && kind !== server.policy.kind && void choose(kind)}
            />
            <PolicyFields policy={server.policy} onChange={(policy) => set({ policy })} />
            <TagsInput
              label={t('servers.allowAddresses')}
              description={t('servers.allowAddressesHint')}
              placeholder="10.0.0.0/8"
              value={[...(server.allowAddresses ?? [])]}
              onChange={(networks) => set({ allowAddresses: networks.length === 0 ? undefined : networks })}
            />
          </Stack>
        </Panel>
        {server.policy.kind !== 'open' && (
          <Panel title={t('accessRules.title')} lead={t('accessRules.lead')}>
            <AccessRules rules={server.access} onChange={(access) => set({ access })} />
          </Panel>
        )}
        <Panel title={t('limits.title')}>
          <Stack gap="md">
            <NumberInput
              label={t('servers.ratePerMinute')}
              error={draft.problemAt('/ratePerMinute')}
              description={t('servers.ratePerMinuteHint')}
              min={0}
              allowDecimal={false}
              value={server.ratePerMinute}
              onChange={(value) => set({ ratePerMinute: typeof value === 'number' ? value : 0 })}
            />
            <NumberInput
              label={t('servers.pageSize')}
              error={draft.problemAt('/pageSize')}
              description={t('servers.pageSizeHint')}
              min={1}
              allowDecimal={false}
              placeholder={t('servers.noPaging')}
              value={server.pageSize ?? ''}
              onChange={(value) => set({ pageSize: typeof value === 'number' ? value : undefined })}
            />
            <NumberInput
              label={t('servers.replyMaxTokens')}
              error={draft.problemAt('/replyMaxTokens')}
              description={t('servers.replyMaxTokensHint')}
              placeholder={t('limits.default')}
              thousandSeparator=" "
              min={0}
              allowDecimal={false}
              value={server.replyMaxTokens ?? ''}
              onChange={(value) => set({ replyMaxTokens: typeof value === 'number' ? value : undefined })}
            />
            <NumberInput
              label={t('servers.ttlMs')}
              error={draft.problemAt('/ttlMs')}
              description={t('servers.ttlMsHint')}
              suffix=" s"
              min={0}
              max={86_400}
              allowDecimal={false}
              placeholder="0"
              value={server.ttlMs === undefined ? '' : server.ttlMs / 1_000}
              onChange={(value) => set({ ttlMs: typeof value === 'number' ? value * 1_000 : undefined })}
            />
            <Switch
              label={t('servers.explorerReadOnly')}
              description={t('servers.explorerReadOnlyHint')}
              checked={server.explorerReadOnly ?? false}
              onChange={(event) => set({ explorerReadOnly: event.currentTarget.checked || undefined })}
            />
            <Switch
              label={t('servers.selectArgument')}
              description={t('servers.selectArgumentHint')}
              checked={server.selectArgument ?? false}
              onChange={(event) => set({ selectArgument: event.currentTarget.checked || undefined })}
            />
            <Switch
              label={t('servers.pageArguments')}
              description={t('servers.pageArgumentsHint')}
              checked={server.pageArguments ?? false}
              onChange={(event) => set({ pageArguments: event.currentTarget.checked || undefined })}
            />
            <DialectField server={server} onChange={(dialect) => set({ dialect })} />
          </Stack>
        </Panel>
        <PiiRules
          value={server.piiRules}
          onChange={(piiRules) => set({ piiRules })}
          problemAt={draft.problemAt}
        />
      </div>
    </div>
  );
}

function PolicyFields({ policy, onChange }: { policy: Policy; onChange: (policy: Policy) => void }) {
  const t = useText();
  if (policy.kind === 'key')
    return (
      <>
        <TextInput
          label={t('servers.keyHeader')}
          placeholder="Authorization: Bearer"
          value={policy.header ?? ''}
          onChange={(event) =>
            onChange({
              kind: 'key',
              ...(policy.allowQuery && { allowQuery: true }),
              ...(event.currentTarget.value !== '' && { header: event.currentTarget.value }),
            })
          }
        />
        <Switch
          label={t('servers.allowQuery')}
          description={t('servers.allowQueryHint')}
          checked={policy.allowQuery ?? false}
          onChange={(event) => onChange({ ...policy, allowQuery: event.currentTarget.checked })}
        />
      </>
    );
  if (policy.kind === 'sign-in')
    return (
      <Text size="sm" c="dimmed">
        {t('servers.signInHint')}
      </Text>
    );
  if (policy.kind === 'oauth')
    return (
      <>
        <TextInput
          label={t('servers.issuer')}
          value={policy.issuer}
          onChange={(event) => onChange({ ...policy, issuer: event.currentTarget.value })}
        />
        <TagsInput
          label={t('servers.audience')}
          description={t('servers.audienceHint')}
          value={[...(policy.audience ?? [])]}
          onChange={(audience) => onChange({ ...policy, audience })}
        />
        <IntrospectionFields
          value={policy.introspection}
          onChange={(introspection) => {
            const { introspection: _before, ...rest } = policy;
            onChange(introspection === undefined ? rest : { ...rest, introspection });
          }}
        />
        <TagsInput
          label={t('servers.scopes')}
          value={[...(policy.scopes ?? [])]}
          onChange={(scopes) => onChange({ ...policy, scopes })}
        />
        <ToolScopes
          value={policy.toolScopes}
          onChange={(toolScopes) => {
            const { toolScopes: _before, ...rest } = policy;
            onChange(toolScopes === undefined ? rest : { ...rest, toolScopes });
          }}
        />
      </>
    );
  return null;
}
