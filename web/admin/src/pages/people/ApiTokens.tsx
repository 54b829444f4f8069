import { Badge, Button, Group, Modal, NumberInput, Select, Stack, TagsInput, TextInput } from '@mantine/core';
import { Bot, Plus } from 'lucide-react';
import { useState } from 'react';
import { useAll, useChange } from '../../api/queries.ts';
import type { ApiToken } from '../../api/resources.ts';
import { confirm } from '../../components/feedback/confirm.ts';
import { EmptyState } from '../../components/feedback/EmptyState.tsx';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { ShownOnce } from '../../components/feedback/ShownOnce.tsx';
import { toastProblem } from '../../components/feedback/toasts.ts';
import { Panel } from '../../components/Panel.tsx';
import { Row, RowList } from '../../components/tables/RowList.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';

const roles = ['viewer', 'editor', 'owner'] as const;

/** Tokens for programs that use the admin API. */
export function ApiTokens() {
  const t = useText();
  const format = useFormats();
  const tokens = useAll('/api-tokens', {});
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<string | null>(null);
  const revoke = useChange('POST', '/api-tokens/:token/revoke', ['/api-tokens']);
  const remove = useChange('DELETE', '/api-tokens/:token', ['/api-tokens']);
  const onRemove = async (token: ApiToken) => {
    if (
      await confirm({
        title: t('people.removeTitle', { name: token.name }),
        text: t('apiTokens.removeText'),
        action: t('common.remove'),
      })
    )
      remove.mutate({ params: { token: token.id } }, { onError: toastProblem });
  };
  const create = (
    <Button
      size="xs"
      variant="default"
      leftSection={<Plus size={14} aria-hidden />}
      onClick={() => setMaking(true)}
    >
      {t('apiTokens.create')}
    </Button>
  );
  return (
    <Panel title={t('apiTokens.title')} lead={t('apiTokens.lead')} actions={create} flush>
      <Loaded query={tokens}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState icon={Bot} title={t('apiTokens.empty')} text={t('apiTokens.emptyText')} />
          ) : (
            <RowList>
              {all.map((token) => (
                <Row
                  key={token.id}
                  name={token.name}
                  badge={
                    token.revokedAt !== undefined && <Badge color="gray">{t('apiTokens.revoked')}</Badge>
                  }
                  note={[
                    t('apiTokens.state', {
                      role: t(`role.${token.role}`),
                      when: format.day(token.expiresAt),
                      used:
                        token.lastUsedAt === undefined
                          ? t('apiTokens.never')
                          : t('apiTokens.used', { when: format.moment(token.lastUsedAt) }),
                    }),
                    ...(token.scopes ?? []),
                  ].join(' · ')}
                  side={
                    <Group gap="xs">
                      {token.revokedAt === undefined && (
                        <Button
                          size="xs"
                          variant="default"
                          onClick={() =>
                            revoke.mutate({ params: { token: token.id } }, { onError: toastProblem })
                          }
                        >
                          {t('apiTokens.revoke')}
                        </Button>
                      )}
                      <Button size="xs" variant="subtle" color="red" onClick={() => void onRemove(token)}>
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
      {making && <NewToken onClose={() => setMaking(false)} onMade={setMade} />}
      <ShownOnce
        title={t('apiTokens.made')}
        text={t('apiTokens.madeText')}
        value={made}
        onClose={() => setMade(null)}
      />
    </Panel>
  );
}

function NewToken({ onClose, onMade }: { onClose: () => void; onMade: (token: string) => void }) {
  const t = useText();
  const [name, setName] = useState('');
  const [role, setRole] = useState<(typeof roles)[number]>('viewer');
  const [scopes, setScopes] = useState<string[]>([]);
  const [days, setDays] = useState(90);
  const create = useChange('POST', '/api-tokens', ['/api-tokens']);
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('apiTokens.create')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate(
            { body: { name, role, expiresInDays: days, ...(scopes.length > 0 && { scopes }) } },
            {
              onSuccess: ({ token }) => {
                onClose();
                onMade(token);
              },
              onError: toastProblem,
            },
          );
        }}
      >
        <Stack gap="md">
          <TextInput
            data-autofocus
            label={t('apiTokens.name')}
            required
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Select
            label={t('people.role')}
            allowDeselect={false}
            data={roles.map((entry) => ({ value: entry, label: t(`role.${entry}`) }))}
            value={role}
            onChange={(next) => next && setRole(next)}
          />
          <TagsInput
            label={t('apiTokens.scopes')}
            description={t('apiTokens.scopesHint')}
            data={['*:read', 'calls:read', 'servers:write', 'imports:write', 'tools:write', 'keys:write']}
            value={scopes}
            onChange={setScopes}
          />
          <NumberInput
            label={t('apiTokens.days')}
            min={1}
            max={730}
            allowDecimal={false}
            value={days}
            onChange={(value) => setDays(typeof value === 'number' ? value : 90)}
          />
          <Button type="submit" loading={create.isPending}>
            {t('apiTokens.create')}
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}
