import { Alert, Badge, Button, Group, Modal, Stack, Switch, TagsInput, Text, TextInput } from '@mantine/core';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { request } from '../../api/client.ts';
import { useAll, useChange } from '../../api/queries.ts';
import type { IdentityProvider, ProviderTest, ProviderTrial } from '../../api/resources.ts';
import { CodeBlock } from '../../components/display/CodeBlock.tsx';
import { confirm } from '../../components/feedback/confirm.ts';
import { EmptyState } from '../../components/feedback/EmptyState.tsx';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { toastProblem } from '../../components/feedback/toasts.ts';
import { Panel } from '../../components/Panel.tsx';
import { Row, RowList } from '../../components/tables/RowList.tsx';
import { useText } from '../../i18n/text.tsx';

/** The identity providers that people sign in with. */
export function SingleSignOn() {
  const t = useText();
  const providers = useAll('/identity-providers', {});
  const [editing, setEditing] = useState<IdentityProvider | 'new' | null>(null);
  const [testing, setTesting] = useState<IdentityProvider | null>(null);
  const remove = useChange('DELETE', '/identity-providers/:provider', ['/identity-providers']);
  const onRemove = async (provider: IdentityProvider) => {
    if (
      await confirm({
        title: t('people.removeTitle', { name: provider.name }),
        text: t('sso.removeText'),
        action: t('common.remove'),
      })
    )
      remove.mutate({ params: { provider: provider.id } }, { onError: toastProblem });
  };
  const add = (
    <Button
      size="xs"
      variant="default"
      leftSection={<Plus size={14} aria-hidden />}
      onClick={() => setEditing('new')}
    >
      {t('sso.add')}
    </Button>
  );
  return (
    <Panel title={t('sso.title')} lead={t('sso.lead')} actions={add} flush>
      <Loaded query={providers}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState icon={KeyRound} title={t('sso.empty')} text={t('sso.emptyText')} />
          ) : (
            <RowList>
              {all.map((provider) => (
                <Row
                  key={provider.id}
                  name={provider.name}
                  badge={!provider.enabled && <Badge color="gray">{t('sso.disabled')}</Badge>}
                  note={provider.issuer}
                  side={
                    <Group gap="xs">
                      <Button size="xs" variant="default" onClick={() => setTesting(provider)}>
                        {t('sso.test')}
                      </Button>
                      <Button size="xs" variant="default" onClick={() => setEditing(provider)}>
                        {t('common.edit')}
                      </Button>
                      <Button size="xs" variant="subtle" color="red" onClick={() => void onRemove(provider)}>
                        {t('common.remove')}
                      </Button>
                    </Group>
                  }
                />
              ))}
            </RowList>
          )
        }
      </Loaded>
      {editing !== null && (
        <EditProvider provider={editing === 'new' ? null : editing} onClose={() => setEditing(null)} />
      )}
      {testing !== null && <TestProvider provider={testing} onClose={() => setTesting(null)} />}
    </Panel>
  );
}

function EditProvider({ provider, onClose }: { provider: IdentityProvider | null; onClose: () => void }) {
  const t = useText();
  const [fields, setFields] = useState({
    slug: provider?.slug ?? '',
    name: provider?.name ?? '',
    issuer: provider?.issuer ?? '',
    clientId: provider?.clientId ?? '',
    clientSecret: '',
    groupsClaim: provider?.groupsClaim ?? '',
    allowedDomains: [...(provider?.allowedDomains ?? [])],
    enabled: provider?.enabled ?? true,
  });
  const set = (change: Partial<typeof fields>) => setFields((before) => ({ ...before, ...change }));
  const create = useChange('POST', '/identity-providers', ['/identity-providers']);
  const update = useChange('PATCH', '/identity-providers/:provider', ['/identity-providers']);
  const done = { onSuccess: onClose, onError: toastProblem };
  const field = (
    name: 'slug' | 'name' | 'issuer' | 'clientId' | 'groupsClaim',
    label: string,
    more: { description?: string; placeholder?: string; required?: boolean } = { required: true },
  ) => (
    <TextInput
      label={label}
      value={fields[name]}
      onChange={(event) => set({ [name]: event.currentTarget.value })}
      {...more}
    />
  );
  return (
    <Modal
      opened
      onClose={onClose}
      title={provider?.name ?? t('sso.add')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const { clientSecret, groupsClaim, allowedDomains, ...rest } = fields;
          const body = { ...rest, ...(clientSecret !== '' && { clientSecret }) };
          if (provider === null)
            create.mutate(
              {
                body: {
                  ...body,
                  ...(groupsClaim !== '' && { groupsClaim }),
                  ...(allowedDomains.length > 0 && { allowedDomains }),
                },
              },
              done,
            );
          else
            update.mutate(
              {
                params: { provider: provider.id },
                body: {
                  ...body,
                  groupsClaim: groupsClaim === '' ? null : groupsClaim,
                  allowedDomains: allowedDomains.length === 0 ? null : allowedDomains,
                },
                revision: provider.revision,
              },
              done,
            );
        }}
      >
        <Stack gap="md">
          {field('name', t('signIn.name'))}
          {field('slug', t('sso.slug'), { description: t('sso.slugHint'), required: true })}
          {field('issuer', t('sso.issuer'), { placeholder: 'https://id.example.com', required: true })}
          {field('clientId', t('sso.clientId'))}
          <TextInput
            type="password"
            autoComplete="off"
            label={t('sso.clientSecret')}
            description={t(provider?.hasSecret === true ? 'sso.secretKept' : 'sso.secretHint')}
            value={fields.clientSecret}
            onChange={(event) => set({ clientSecret: event.currentTarget.value })}
          />
          <TagsInput
            label={t('sso.domains')}
            description={t('sso.domainsHint')}
            placeholder="example.com"
            value={fields.allowedDomains}
            onChange={(allowedDomains) => set({ allowedDomains })}
          />
          {field('groupsClaim', t('sso.groupsClaim'), { description: t('sso.groupsClaimHint') })}
          <Switch
            label={t('sso.enabled')}
            checked={fields.enabled}
            onChange={(event) => set({ enabled: event.currentTarget.checked })}
          />
          {provider !== null && <CodeBlock text={provider.redirectUri} label={t('sso.redirectUri')} />}
          <Button type="submit" loading={create.isPending || update.isPending}>
            {t('common.save')}
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}

function TestProvider({ provider, onClose }: { provider: IdentityProvider; onClose: () => void }) {
  const t = useText();
  const [test, setTest] = useState<ProviderTest | null>(null);
  const [trial, setTrial] = useState<ProviderTrial | null>(null);
  const params = { provider: provider.id };
  const run = () =>
    request('POST', '/identity-providers/:provider/test', { params }).then(setTest, toastProblem);
  const read = () =>
    request('GET', '/identity-providers/:provider/trial', { params }).then(setTrial, toastProblem);
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('sso.testTitle', { name: provider.name })}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <Stack gap="md">
        <Text size="sm">{t('sso.redirectUri')}</Text>
        <CodeBlock text={provider.redirectUri} label={t('sso.redirectUri')} />
        <Button onClick={() => void run()}>{t('sso.test')}</Button>
        {test?.problem !== undefined && <Alert color="red">{test.problem}</Alert>}
        {test?.metadata && <Alert color="green">{t('sso.reachable')}</Alert>}
        {test?.trialUrl !== undefined && (
          <>
            <Text size="sm" c="dimmed">
              {t('sso.trialHint')}
            </Text>
            <Group gap="xs">
              <Button component="a" variant="default" href={test.trialUrl} target="_blank" rel="noopener">
                {t('sso.trial')}
              </Button>
              <Button variant="default" onClick={() => void read()}>
                {t('sso.trialRead')}
              </Button>
            </Group>
          </>
        )}
        {trial !== null && trial.at === undefined && <Text size="sm">{t('sso.noTrial')}</Text>}
        {trial?.claims && (
          <>
            <Alert color={trial.allowed ? 'brand' : 'red'}>
              {trial.values.length === 0
                ? t('sso.nothingFound')
                : t('sso.found', { values: trial.values.join(', ') })}{' '}
              {t('sso.mapsTo', { groups: trial.groups.join(', ') || '–', role: t(`role.${trial.role}`) })}{' '}
              {!trial.allowed && t('sso.mayNot')}
            </Alert>
            <CodeBlock
              text={JSON.stringify(trial.claims, null, 2)}
              label={t('sso.testTitle', { name: '' })}
            />
          </>
        )}
      </Stack>
    </Modal>
  );
}
