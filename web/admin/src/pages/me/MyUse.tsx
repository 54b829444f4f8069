import { Badge, Button, Checkbox, Modal, NumberInput, Stack, TextInput } from '@mantine/core';
import { Activity, KeyRound, Plus, Server } from 'lucide-react';
import { useState } from 'react';
import { useChange, useGet } from '../../api/queries.ts';
import { CopyButton } from '../../components/display/CopyButton.tsx';
import { OutcomeBadge } from '../../components/display/OutcomeBadge.tsx';
import { confirm } from '../../components/feedback/confirm.ts';
import { EmptyState } from '../../components/feedback/EmptyState.tsx';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { ShownOnce } from '../../components/feedback/ShownOnce.tsx';
import { toastProblem } from '../../components/feedback/toasts.ts';
import { Panel } from '../../components/Panel.tsx';
import { Row, RowList } from '../../components/tables/RowList.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';

/** The servers that someone can use, to paste into an app. */
export function MyServers() {
  const t = useText();
  const me = useGet('/me', {});
  return (
    <Panel flush title={t('nav.servers')} lead={t('me.serversLead')}>
      <Loaded query={me}>
        {({ servers }) =>
          servers.length === 0 ? (
            <EmptyState icon={Server} title={t('me.noServers')} text={t('me.noServersText')} />
          ) : (
            <RowList>
              {servers.map(({ slug, name, url }) => (
                <Row
                  key={slug}
                  name={name}
                  note={<span style={{ overflowWrap: 'anywhere' }}>{url}</span>}
                  side={<CopyButton text={url} label={t('me.copyUrl', { name })} />}
                />
              ))}
            </RowList>
          )
        }
      </Loaded>
    </Panel>
  );
}

/** Keys with which someone's programs use servers as them. */
export function MyKeys() {
  const t = useText();
  const format = useFormats();
  const keys = useGet('/me/keys', {});
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<string | null>(null);
  const revoke = useChange('DELETE', '/me/keys/:key', ['/me/keys']);
  const onRevoke = async (key: { readonly id: string; readonly name: string }) => {
    if (
      await confirm({
        title: t('me.revokeTitle', { name: key.name }),
        text: t('me.revokeText'),
        action: t('apiTokens.revoke'),
      })
    )
      revoke.mutate({ params: { key: key.id } }, { onError: toastProblem });
  };
  const create = (
    <Button
      size="xs"
      variant="default"
      leftSection={<Plus size={14} aria-hidden />}
      onClick={() => setMaking(true)}
    >
      {t('me.createKey')}
    </Button>
  );
  return (
    <Panel flush title={t('me.keys')} lead={t('me.keysLead')} actions={create}>
      <Loaded query={keys}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon={KeyRound} title={t('me.noKeys')} text={t('me.noKeysText')} />
          ) : (
            <RowList>
              {items.map((key) => (
                <Row
                  key={key.id}
                  name={key.name}
                  badge={<Badge variant="light">{`${key.hint}…`}</Badge>}
                  note={`${key.servers?.join(', ') ?? t('me.allServers')} · ${t('me.until', {
                    when: format.day(key.expiresAt),
                  })} · ${
                    key.lastUsedAt === undefined
                      ? t('apiTokens.never')
                      : t('apiTokens.used', { when: format.moment(key.lastUsedAt) })
                  }`}
                  side={
                    <Button
                      size="xs"
                      variant="subtle"
                      color="red"
                      aria-label={`${t('apiTokens.revoke')}: ${key.name}`}
                      onClick={() => void onRevoke(key)}
                    >
                      {t('apiTokens.revoke')}
                    </Button>
                  }
                />
              ))}
            </RowList>
          )
        }
      </Loaded>
      {making && <NewKey onClose={() => setMaking(false)} onMade={setMade} />}
      <ShownOnce
        title={t('me.keyMade')}
        text={t('me.keyMadeText')}
        value={made}
        onClose={() => setMade(null)}
      />
    </Panel>
  );
}

function NewKey({ onClose, onMade }: { onClose: () => void; onMade: (key: string) => void }) {
  const t = useText();
  const me = useGet('/me', {});
  const [name, setName] = useState('');
  const [days, setDays] = useState(90);
  const [isLimited, setLimited] = useState(false);
  const [servers, setServers] = useState<string[]>([]);
  const create = useChange('POST', '/me/keys', ['/me/keys']);
  const open = me.data?.servers.filter(({ takesKeys }) => takesKeys) ?? [];
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('me.createKey')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate(
            { body: { name, expiresInDays: days, ...(isLimited && { servers }) } },
            {
              onSuccess: ({ key }) => {
                onClose();
                onMade(key);
              },
              onError: toastProblem,
            },
          );
        }}
      >
        <Stack gap="md">
          <TextInput
            data-autofocus
            label={t('factors.name')}
            description={t('me.keyNameHint')}
            required
            withAsterisk={false}
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Checkbox
            label={t('me.onlySome')}
            checked={isLimited}
            disabled={open.length === 0}
            onChange={(event) => setLimited(event.currentTarget.checked)}
          />
          {isLimited && (
            <Checkbox.Group label={t('nav.servers')} value={servers} onChange={setServers}>
              <Stack gap="xs" mt="xs">
                {open.map((server) => (
                  <Checkbox key={server.slug} value={server.slug} label={server.name} />
                ))}
              </Stack>
            </Checkbox.Group>
          )}
          <NumberInput
            label={t('apiTokens.days')}
            min={1}
            max={365}
            allowDecimal={false}
            value={days}
            onChange={(value) => setDays(typeof value === 'number' ? value : 90)}
          />
          <Button type="submit" loading={create.isPending} disabled={isLimited && servers.length === 0}>
            {t('me.createKey')}
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}

/** What someone's apps and keys called lately. */
export function MyCalls() {
  const t = useText();
  const format = useFormats();
  const calls = useGet('/me/calls', { query: { limit: 20 } });
  return (
    <Panel flush title={t('me.calls')} lead={t('me.callsLead')}>
      <Loaded query={calls}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon={Activity} title={t('me.noCalls')} text={t('me.noCallsText')} />
          ) : (
            <RowList>
              {items.map((call) => (
                <Row
                  key={call.id}
                  name={call.tool}
                  note={[
                    call.server,
                    call.client,
                    format.ago(call.startedAt),
                    format.duration(call.durationMs),
                    call.message?.split('\n', 1)[0] ?? null,
                  ]
                    .filter((part) => part !== null && part !== '')
                    .join(' · ')}
                  side={<OutcomeBadge outcome={call.outcome} />}
                />
              ))}
            </RowList>
          )
        }
      </Loaded>
    </Panel>
  );
}
