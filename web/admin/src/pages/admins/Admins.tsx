import { Alert, Badge, Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core';
import { UserPlus, Users } from 'lucide-react';
import { useState } from 'react';
import { useAll, useChange } from '../../api/queries.ts';
import type { Admin } from '../../api/resources.ts';
import { useHasRole } from '../../app/account/permissions.tsx';
import { CodeBlock } from '../../components/display/CodeBlock.tsx';
import { confirm } from '../../components/feedback/confirm.ts';
import { EmptyState } from '../../components/feedback/EmptyState.tsx';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { Page } from '../../components/Page.tsx';
import { Panel } from '../../components/Panel.tsx';
import { Row, RowList } from '../../components/tables/RowList.tsx';
import { toastDone, toastProblem } from '../../components/feedback/toasts.ts';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { isOnlyOwner } from './only-owner.ts';

const roles = ['viewer', 'editor', 'owner'] as const;

/** The admins and their roles. */
export default function Admins() {
  const t = useText();
  const isOwner = useHasRole('owner');
  const [link, setLink] = useState<string | null>(null);
  const [inviting, setInviting] = useState(false);
  const admins = useAll('/admins', {}, { enabled: isOwner });
  const invite = (
    <Button leftSection={<UserPlus size={16} aria-hidden />} onClick={() => setInviting(true)}>
      {t('admins.invite')}
    </Button>
  );
  return (
    <Page title={t('nav.admins')} lead={t('admins.lead')} edits="owner" actions={isOwner && invite}>
      <Panel flush>
        {isOwner ? (
          <Loaded query={admins}>
            {(all) =>
              all.length === 0 ? (
                <EmptyState
                  icon={Users}
                  title={t('admins.empty')}
                  text={t('admins.emptyText')}
                  action={invite}
                />
              ) : (
                <RowList>
                  {all.map((admin) => (
                    <AdminRow
                      key={admin.id}
                      admin={admin}
                      isOnlyOwner={isOnlyOwner(admin, all)}
                      onLink={setLink}
                    />
                  ))}
                </RowList>
              )
            }
          </Loaded>
        ) : (
          <EmptyState icon={Users} title={t('admins.ownersOnly')} />
        )}
      </Panel>
      {inviting && <Invite onClose={() => setInviting(false)} onLink={setLink} />}
      <Modal
        opened={link !== null}
        onClose={() => setLink(null)}
        title={t('admins.linkTitle')}
        closeOnClickOutside={false}
        closeButtonProps={{ 'aria-label': t('common.close') }}
      >
        <Stack gap="md">
          <Alert color="brand">{t('admins.linkText')}</Alert>
          <CodeBlock text={link ?? ''} label={t('admins.linkTitle')} />
          <Button onClick={() => setLink(null)}>{t('common.done')}</Button>
        </Stack>
      </Modal>
    </Page>
  );
}

function AdminRow({
  admin,
  isOnlyOwner: onlyOwner,
  onLink,
}: {
  admin: Admin;
  isOnlyOwner: boolean;
  onLink: (link: string) => void;
}) {
  const t = useText();
  const format = useFormats();
  const update = useChange('PATCH', '/admins/:admin', ['/admins']);
  const renew = useChange('POST', '/admins/:admin/invitation', ['/admins']);
  const signOut = useChange('DELETE', '/admins/:admin/sessions');
  const remove = useChange('DELETE', '/admins/:admin', ['/admins']);
  const params = { admin: admin.id };
  const onRemove = async () => {
    if (
      await confirm({
        title: t('admins.removeTitle', { name: admin.name }),
        text: t('admins.removeText'),
        action: t('common.remove'),
      })
    )
      remove.mutate({ params }, { onError: toastProblem });
  };
  return (
    <Row
      name={admin.name}
      badge={admin.state === 'invited' && <Badge color="orange">{t('admins.invited')}</Badge>}
      note={
        admin.invitationExpiresAt
          ? t('admins.invitedUntil', { when: format.moment(admin.invitationExpiresAt) })
          : t('admins.since', { when: format.day(admin.createdAt) })
      }
      side={
        <Group gap="xs">
          <Select
            size="xs"
            w={116}
            aria-label={t('admins.roleOf', { name: admin.name })}
            allowDeselect={false}
            data={roles.map((role) => ({ value: role, label: t(`role.${role}`) }))}
            value={admin.role}
            disabled={onlyOwner}
            title={onlyOwner ? t('admins.onlyOwner') : undefined}
            onChange={(role) =>
              role &&
              update.mutate(
                { params, body: { role: role }, revision: admin.revision },
                { onError: toastProblem },
              )
            }
          />
          <Button
            size="xs"
            variant="default"
            onClick={() =>
              renew.mutate(
                { params },
                { onSuccess: ({ invitationUrl }) => onLink(invitationUrl), onError: toastProblem },
              )
            }
          >
            {t('admins.newLink')}
          </Button>
          {admin.state === 'active' && (
            <Button
              size="xs"
              variant="default"
              onClick={() =>
                signOut.mutate(
                  { params },
                  { onSuccess: () => toastDone(t('admins.signedOut')), onError: toastProblem },
                )
              }
            >
              {t('account.signOut')}
            </Button>
          )}
          {!onlyOwner && (
            <Button size="xs" variant="subtle" color="red" onClick={() => void onRemove()}>
              {t('common.remove')}
            </Button>
          )}
        </Group>
      }
    />
  );
}

function Invite({ onClose, onLink }: { onClose: () => void; onLink: (link: string) => void }) {
  const t = useText();
  const [name, setName] = useState('');
  const [role, setRole] = useState<(typeof roles)[number]>('editor');
  const invite = useChange('POST', '/admins', ['/admins']);
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('admins.invite')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          invite.mutate(
            { body: { name, role } },
            {
              onSuccess: ({ invitationUrl }) => {
                onClose();
                onLink(invitationUrl);
              },
              onError: toastProblem,
            },
          );
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
            label={t('admins.role')}
            description={t(`admins.roleHint.${role}`)}
            allowDeselect={false}
            data={roles.map((entry) => ({ value: entry, label: t(`role.${entry}`) }))}
            value={role}
            onChange={(next) => next && setRole(next)}
          />
          <Button type="submit" loading={invite.isPending}>
            {t('admins.makeLink')}
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}
