import { ActionIcon, Badge, Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core';
import { Plus, UsersRound, X } from 'lucide-react';
import { useState } from 'react';
import { useAll, useChange } from '../../api/queries.ts';
import type { PersonGroup } from '../../api/resources.ts';
import { confirm } from '../../components/feedback/confirm.ts';
import { EmptyState } from '../../components/feedback/EmptyState.tsx';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { toastProblem } from '../../components/feedback/toasts.ts';
import { Panel } from '../../components/Panel.tsx';
import { Row, RowList } from '../../components/tables/RowList.tsx';
import { useText } from '../../i18n/text.tsx';

const roles = ['none', 'viewer', 'editor', 'owner'] as const;

/** Groups of people: where roles and access to servers come from. */
export function Groups() {
  const t = useText();
  const groups = useAll('/groups', {});
  const [editing, setEditing] = useState<PersonGroup | 'new' | null>(null);
  const remove = useChange('DELETE', '/groups/:group', ['/groups', '/people']);
  const onRemove = async (group: PersonGroup) => {
    if (
      await confirm({
        title: t('people.removeTitle', { name: group.name }),
        text: t('groups.removeText'),
        action: t('common.remove'),
      })
    )
      remove.mutate({ params: { group: group.id } }, { onError: toastProblem });
  };
  const create = (
    <Button
      size="xs"
      variant="default"
      leftSection={<Plus size={14} aria-hidden />}
      onClick={() => setEditing('new')}
    >
      {t('groups.create')}
    </Button>
  );
  return (
    <Panel title={t('groups.title')} lead={t('groups.lead')} actions={create} flush>
      <Loaded query={groups}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState icon={UsersRound} title={t('groups.empty')} text={t('groups.emptyText')} />
          ) : (
            <RowList>
              {all.map((group) => (
                <Row
                  key={group.id}
                  name={group.name}
                  badge={group.role !== 'none' && <Badge>{t(`role.${group.role}`)}</Badge>}
                  note={
                    group.description ??
                    (group.claims.length > 0
                      ? t('groups.fromClaims', { values: group.claims.map(({ value }) => value).join(', ') })
                      : t('groups.byHand'))
                  }
                  side={
                    <Group gap="xs">
                      <Button size="xs" variant="default" onClick={() => setEditing(group)}>
                        {t('common.edit')}
                      </Button>
                      <Button size="xs" variant="subtle" color="red" onClick={() => void onRemove(group)}>
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
        <EditGroup group={editing === 'new' ? null : editing} onClose={() => setEditing(null)} />
      )}
    </Panel>
  );
}

function EditGroup({ group, onClose }: { group: PersonGroup | null; onClose: () => void }) {
  const t = useText();
  const [name, setName] = useState(group?.name ?? '');
  const [role, setRole] = useState<(typeof roles)[number]>(group?.role ?? 'none');
  const [claims, setClaims] = useState(group?.claims ?? []);
  const create = useChange('POST', '/groups', ['/groups', '/people']);
  const update = useChange('PATCH', '/groups/:group', ['/groups', '/people']);
  const set = (at: number, change: Partial<(typeof claims)[number]>) =>
    setClaims(claims.map((claim, index) => (index === at ? { ...claim, ...change } : claim)));
  const done = { onSuccess: onClose, onError: toastProblem };
  return (
    <Modal
      opened
      onClose={onClose}
      title={group?.name ?? t('groups.create')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const body = { name, role, claims };
          if (group === null) create.mutate({ body }, done);
          else update.mutate({ params: { group: group.id }, body, revision: group.revision }, done);
        }}
      >
        <Stack gap="md">
          <TextInput
            data-autofocus
            label={t('signIn.name')}
            required
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Select
            label={t('people.role')}
            description={t('groups.roleHint')}
            allowDeselect={false}
            data={roles.map((entry) => ({ value: entry, label: t(`role.${entry}`) }))}
            value={role}
            onChange={(next) => next && setRole(next)}
          />
          {claims.map((claim, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- claims have no identity of their own
            <Group key={at} gap="xs" align="flex-end" wrap="nowrap">
              <TextInput
                style={{ flex: 1 }}
                label={t('groups.issuer')}
                placeholder="https://id.example.com"
                required
                value={claim.issuer}
                onChange={(event) => set(at, { issuer: event.currentTarget.value })}
              />
              <TextInput
                style={{ flex: 1 }}
                label={t('groups.value')}
                required
                value={claim.value}
                onChange={(event) => set(at, { value: event.currentTarget.value })}
              />
              <ActionIcon
                variant="subtle"
                color="gray"
                size="lg"
                aria-label={t('groups.removeClaim', { value: claim.value })}
                onClick={() => setClaims(claims.filter((_each, index) => index !== at))}
              >
                <X size={16} aria-hidden />
              </ActionIcon>
            </Group>
          ))}
          <Button
            variant="default"
            size="xs"
            onClick={() => setClaims([...claims, { issuer: claims.at(-1)?.issuer ?? '', value: '' }])}
          >
            {t('groups.addClaim')}
          </Button>
          <Button type="submit" loading={create.isPending || update.isPending}>
            {t('common.save')}
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}
