import { Badge, Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core';
import { UserPlus, Users } from 'lucide-react';
import { useState } from 'react';
import { useAll, useChange } from '../../api/queries.ts';
import type { Person } from '../../api/resources.ts';
import { useHasRole } from '../../app/account/permissions.tsx';
import { confirm } from '../../components/feedback/confirm.ts';
import { EmptyState } from '../../components/feedback/EmptyState.tsx';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { ShownOnce } from '../../components/feedback/ShownOnce.tsx';
import { Page } from '../../components/Page.tsx';
import { Panel } from '../../components/Panel.tsx';
import { Row, RowList } from '../../components/tables/RowList.tsx';
import { toastDone, toastProblem } from '../../components/feedback/toasts.ts';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { ApiTokens } from './ApiTokens.tsx';
import { Groups } from './Groups.tsx';
import { SingleSignOn } from './SingleSignOn.tsx';
import { isOnlyOwner } from './only-owner.ts';

const roles = ['none', 'viewer', 'editor', 'owner'] as const;

/** People and their roles. */
export default function People() {
  const t = useText();
  const isOwner = useHasRole('owner');
  const [link, setLink] = useState<string | null>(null);
  const [inviting, setInviting] = useState(false);
  const people = useAll('/people', {}, { enabled: isOwner });
  const invite = (
    <Button leftSection={<UserPlus size={16} aria-hidden />} onClick={() => setInviting(true)}>
      {t('people.invite')}
    </Button>
  );
  return (
    <Page title={t('nav.people')} lead={t('people.lead')} edits="owner" actions={isOwner && invite}>
      <Panel flush>
        {isOwner ? (
          <Loaded query={people}>
            {(all) =>
              all.length === 0 ? (
                <EmptyState
                  icon={Users}
                  title={t('people.empty')}
                  text={t('people.emptyText')}
                  action={invite}
                />
              ) : (
                <RowList>
                  {all.map((person) => (
                    <PersonRow
                      key={person.id}
                      person={person}
                      isOnlyOwner={isOnlyOwner(person, all)}
                      onLink={setLink}
                    />
                  ))}
                </RowList>
              )
            }
          </Loaded>
        ) : (
          <EmptyState icon={Users} title={t('people.ownersOnly')} />
        )}
      </Panel>
      {isOwner && <Groups />}
      {isOwner && <SingleSignOn />}
      {isOwner && <ApiTokens />}
      {inviting && <Invite onClose={() => setInviting(false)} onLink={setLink} />}
      <ShownOnce
        title={t('people.linkTitle')}
        text={t('people.linkText')}
        value={link}
        onClose={() => setLink(null)}
      />
    </Page>
  );
}

function PersonRow({
  person,
  isOnlyOwner: onlyOwner,
  onLink,
}: {
  person: Person;
  isOnlyOwner: boolean;
  onLink: (link: string) => void;
}) {
  const t = useText();
  const format = useFormats();
  const update = useChange('PATCH', '/people/:person', ['/people']);
  const renew = useChange('POST', '/people/:person/invitation', ['/people']);
  const signOut = useChange('DELETE', '/people/:person/sessions');
  const reset = useChange('DELETE', '/people/:person/second-factors', ['/people']);
  const remove = useChange('DELETE', '/people/:person', ['/people']);
  const params = { person: person.id };
  const onRemove = async () => {
    if (
      await confirm({
        title: t('people.removeTitle', { name: person.name }),
        text: t('people.removeText'),
        action: t('common.remove'),
      })
    )
      remove.mutate({ params }, { onError: toastProblem });
  };
  const onReset = async () => {
    if (
      await confirm({
        title: t('factors.resetTitle', { name: person.name }),
        text: t('factors.resetText'),
        action: t('factors.reset'),
      })
    )
      reset.mutate({ params }, { onSuccess: () => toastDone(t('factors.resetDone')), onError: toastProblem });
  };
  return (
    <Row
      name={person.name}
      badge={
        person.state !== 'active' && (
          <Badge color={person.state === 'invited' ? 'orange' : 'gray'}>{t(`people.${person.state}`)}</Badge>
        )
      }
      note={
        person.invitationExpiresAt
          ? t('people.invitedUntil', { when: format.moment(person.invitationExpiresAt) })
          : t('people.since', { when: format.day(person.createdAt) })
      }
      side={
        <Group gap="xs">
          <Select
            size="xs"
            w={116}
            aria-label={t('people.roleOf', { name: person.name })}
            allowDeselect={false}
            data={roles.map((role) => ({ value: role, label: t(`role.${role}`) }))}
            value={person.role}
            disabled={onlyOwner}
            title={onlyOwner ? t('people.onlyOwner') : undefined}
            onChange={(role) =>
              role &&
              update.mutate(
                { params, body: { role: role }, revision: person.revision },
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
            {t('people.newLink')}
          </Button>
          {person.state === 'active' && (
            <Button
              size="xs"
              variant="default"
              onClick={() =>
                signOut.mutate(
                  { params },
                  { onSuccess: () => toastDone(t('people.signedOut')), onError: toastProblem },
                )
              }
            >
              {t('account.signOut')}
            </Button>
          )}
          {person.secondFactors.length > 0 && (
            <Button size="xs" variant="default" onClick={() => void onReset()}>
              {t('factors.reset')}
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
  const invite = useChange('POST', '/people', ['/people']);
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('people.invite')}
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
            label={t('people.role')}
            description={t(`people.roleHint.${role}`)}
            allowDeselect={false}
            data={roles.map((entry) => ({ value: entry, label: t(`role.${entry}`) }))}
            value={role}
            onChange={(next) => next && setRole(next)}
          />
          <Button type="submit" loading={invite.isPending}>
            {t('people.makeLink')}
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}
