import {
  Alert,
  Badge,
  Button,
  Group,
  Modal,
  MultiSelect,
  NumberInput,
  Select,
  Stack,
  TextInput,
} from '@mantine/core';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { useAll, useChange } from '../../api/queries.ts';
import type { AccessKey } from '../../api/resources.ts';
import { Only } from '../../app/may.tsx';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { confirm } from '../../components/confirm.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Loaded } from '../../components/Loaded.tsx';
import { Page } from '../../components/Page.tsx';
import { Panel } from '../../components/Panel.tsx';
import { Row, RowList } from '../../components/RowList.tsx';
import { toastProblem } from '../../components/toasts.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';

/** Keys that let clients in. */
export default function Keys() {
  const t = useText();
  const [making, setMaking] = useState(false);
  const keys = useAll('/keys', {});
  const add = (
    <Only>
      <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setMaking(true)}>
        {t('keys.add')}
      </Button>
    </Only>
  );
  return (
    <Page title={t('nav.keys')} lead={t('keys.lead')} edits="editor" actions={add}>
      <Panel flush>
        <Loaded query={keys}>
          {(all) =>
            all.length === 0 ? (
              <EmptyState icon={KeyRound} title={t('keys.empty')} text={t('keys.emptyText')} action={add} />
            ) : (
              <RowList>
                {all.map((key) => (
                  <KeyRow key={key.id} accessKey={key} />
                ))}
              </RowList>
            )
          }
        </Loaded>
      </Panel>
      {making && <NewKey onClose={() => setMaking(false)} />}
    </Page>
  );
}

function KeyRow({ accessKey }: { accessKey: AccessKey }) {
  const t = useText();
  const format = useFormats();
  const revoke = useChange('POST', '/keys/:key/revoke', ['/keys']);
  const remove = useChange('DELETE', '/keys/:key', ['/keys']);
  const expired = accessKey.expiresAt !== undefined && Date.parse(accessKey.expiresAt) < Date.now();
  const state = accessKey.revokedAt ? 'revoked' : expired ? 'expired' : 'active';
  const onRevoke = async () => {
    if (
      await confirm({
        title: t('keys.revokeTitle', { name: accessKey.name }),
        text: t('keys.revokeText'),
        action: t('keys.revoke'),
      })
    )
      revoke.mutate({ params: { key: accessKey.id } }, { onError: toastProblem });
  };
  const onDelete = async () => {
    if (
      await confirm({
        title: t('keys.deleteTitle', { name: accessKey.name }),
        text: t('keys.revokeText'),
        action: t('common.delete'),
      })
    )
      remove.mutate({ params: { key: accessKey.id } }, { onError: toastProblem });
  };
  return (
    <Row
      name={accessKey.name}
      badge={<Badge color={state === 'active' ? 'green' : 'gray'}>{t(`keys.${state}`)}</Badge>}
      note={[
        `${accessKey.hint}…`,
        accessKey.servers ? accessKey.servers.join(', ') : t('keys.everyServer'),
        accessKey.tools && t('tools.count', { count: accessKey.tools.length }),
        accessKey.expiresAt && t('keys.until', { when: format.day(accessKey.expiresAt) }),
        t('keys.made', { when: format.ago(accessKey.createdAt) }),
      ]
        .filter(Boolean)
        .join(' · ')}
      side={
        <Only>
          <Group gap="xs">
            {state === 'active' && (
              <Button size="xs" variant="default" onClick={() => void onRevoke()}>
                {t('keys.revoke')}
              </Button>
            )}
            <Button size="xs" variant="subtle" color="red" onClick={() => void onDelete()}>
              {t('common.delete')}
            </Button>
          </Group>
        </Only>
      }
    />
  );
}

const lifetimesDays = { '7': 7, '30': 30, '90': 90, '365': 365 } as const;

function NewKey({ onClose }: { onClose: () => void }) {
  const t = useText();
  const [name, setName] = useState('');
  const [servers, setServers] = useState<string[]>([]);
  const [days, setDays] = useState<string | null>(null);
  const [rate, setRate] = useState<number | null>(null);
  const all = useAll('/servers', {});
  const create = useChange('POST', '/keys', ['/keys']);
  const submit = () =>
    create.mutate(
      {
        body: {
          name,
          ...(servers.length > 0 && { servers }),
          ...(days !== null && {
            expiresAt: new Date(Date.now() + lifetimesDays[days as '7'] * 86_400_000).toISOString(),
          }),
          ...(rate !== null && { ratePerMinute: rate }),
        },
      },
      { onError: toastProblem },
    );
  return (
    <Modal
      opened
      onClose={onClose}
      title={create.data ? t('keys.ready') : t('keys.add')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      closeOnClickOutside={!create.data}
    >
      {create.data ? (
        <Stack gap="md">
          <Alert color="brand" icon={<KeyRound size={16} aria-hidden />}>
            {t('keys.shownOnce')}
          </Alert>
          <CodeBlock text={create.data.key} label={t('keys.theKey')} />
          <Button onClick={onClose}>{t('common.done')}</Button>
        </Stack>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          <Stack gap="md">
            <TextInput
              data-autofocus
              label={t('common.name')}
              description={t('keys.nameHint')}
              required
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <MultiSelect
              label={t('nav.servers')}
              placeholder={servers.length === 0 ? t('keys.everyServer') : undefined}
              data={(all.data ?? []).map((server) => ({ value: server.id, label: server.name }))}
              value={servers}
              onChange={setServers}
              clearable
            />
            <Select
              label={t('keys.expires')}
              placeholder={t('keys.never')}
              clearable
              data={Object.keys(lifetimesDays).map((value) => ({
                value,
                label: t('keys.days', { count: Number(value) }),
              }))}
              value={days}
              onChange={setDays}
            />
            <NumberInput
              label={t('keys.rate')}
              placeholder={t('keys.noRate')}
              min={1}
              allowDecimal={false}
              value={rate ?? ''}
              onChange={(value) => setRate(typeof value === 'number' ? value : null)}
            />
            <Button type="submit" loading={create.isPending}>
              {t('keys.create')}
            </Button>
          </Stack>
        </form>
      )}
    </Modal>
  );
}
