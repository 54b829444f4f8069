import { Badge, Button, VisuallyHidden } from '@mantine/core';
import { Ban, EllipsisVertical, KeyRound, Pencil, Plus, RefreshCw, Trash2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useSearchParams } from 'wouter';
import { useAll, useChange } from '../../api/queries.ts';
import type { AccessKey } from '../../api/resources.ts';
import { RequireRole, useHasRole } from '../../app/account/permissions.tsx';
import { ActionMenu } from '../../components/ActionMenu.tsx';
import { confirm } from '../../components/feedback/confirm.ts';
import { ListPage } from '../../components/tables/ListPage.tsx';
import { TwoLines } from '../../components/tables/TwoLines.tsx';
import { useUsage, useUsageColumns } from '../../components/tables/use-usage-columns.tsx';
import { PageTable, twoLineHeight, type Column } from '../../components/tables/VirtualTable.tsx';
import { toastDone, toastProblem } from '../../components/feedback/toasts.ts';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import type { KeyDialogKind } from './KeyDialogs.tsx';
import { keyState } from './key-state.ts';
import styles from './Keys.module.css';

const KeyDialog = lazy(() => import('./KeyDialogs.tsx'));

const wordsOf = (key: AccessKey) => `${key.name} ${key.hint} ${key.servers?.join(' ') ?? ''}`;

/** Active keys first, newest on top. */
function inOrder(keys: readonly AccessKey[]): AccessKey[] {
  const dead = (key: AccessKey) => ['revoked', 'expired'].includes(keyState(key, Date.now()));
  return keys.toSorted((a, b) => Number(dead(a)) - Number(dead(b)) || (a.createdAt < b.createdAt ? 1 : -1));
}

/** Access keys of clients. */
export default function Keys() {
  const t = useText();
  const [search, setSearch] = useSearchParams();
  const server = search.get('for');
  const [asked, setDoing] = useState<KeyDialogKind | null>(null);
  const keys = useAll('/keys', {});
  const rotated = keys.data?.find(({ id }) => id === search.get('rotate'));
  const doing =
    asked ??
    (server !== null
      ? { what: 'new' as const, server }
      : rotated
        ? { what: 'rotate' as const, key: rotated }
        : null);
  const close = () => {
    setDoing(null);
    if (server !== null || search.has('rotate')) setSearch({}, { replace: true });
  };
  return (
    <ListPage
      title={t('nav.keys')}
      lead={t('keys.lead')}
      edits="editor"
      query={{ ...keys, data: keys.data && inOrder(keys.data) }}
      empty={{ icon: KeyRound, title: t('keys.empty'), text: t('keys.emptyText') }}
      searchLabel={t('keys.search')}
      wordsOf={wordsOf}
      add={
        <RequireRole>
          <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setDoing({ what: 'new' })}>
            {t('keys.add')}
          </Button>
        </RequireRole>
      }
      dialogs={<Suspense>{doing && <KeyDialog doing={doing} onClose={close} />}</Suspense>}
    >
      {(found) => <KeyTable keys={found} onDo={setDoing} />}
    </ListPage>
  );
}

const colors = { active: 'green', ending: 'orange', expired: 'gray', revoked: 'gray' } as const;

function KeyTable({ keys, onDo }: { keys: readonly AccessKey[]; onDo: (doing: KeyDialogKind) => void }) {
  const t = useText();
  const format = useFormats();
  const mayEdit = useHasRole('editor');
  // A rotated key counts as the same caller as its replacement.
  const used = useUsage('caller');
  const usage = useUsageColumns<AccessKey>(used, {
    nameOf: ({ callerId }) => callerId,
    labelOf: ({ name }) => name,
  });
  const serversOf = ({ servers }: AccessKey) =>
    servers ? servers.join(', ') || t('keys.noServer') : t('keys.everyServer');
  const columns: Column<AccessKey>[] = [
    {
      id: 'name',
      name: t('common.name'),
      width: 'minmax(130px, 1fr)',
      sortBy: ({ name }) => name.toLowerCase(),
      cell: (key) => (
        <TwoLines
          first={
            <>
              <strong className={styles.name}>{key.name}</strong>{' '}
              <Badge color={colors[keyState(key, Date.now())]}>
                {t(`keys.${keyState(key, Date.now())}`)}
              </Badge>{' '}
              {key.replaces && <Badge color="gray">{t('keys.rotated')}</Badge>}
            </>
          }
          second={`${key.hint}…`}
          mono
        />
      ),
    },
    {
      id: 'servers',
      name: t('nav.servers'),
      width: 'minmax(90px, .5fr)',
      wideOnly: true,
      sortBy: serversOf,
      cell: (key) => (
        <TwoLines
          first={<span title={serversOf(key)}>{serversOf(key)}</span>}
          second={[
            key.tools && t('tools.count', { count: key.tools.length }),
            key.ratePerMinute && t('keys.perMinute', { count: key.ratePerMinute }),
          ]
            .filter(Boolean)
            .join(' · ')}
        />
      ),
    },
    ...usage.filter(({ id }) => id !== 'p95'),
    {
      id: 'last',
      name: t('keys.lastUsed'),
      width: '96px',
      wideOnly: true,
      sortBy: (key) => key.lastUsedAt ?? '',
      cell: (key) => (key.lastUsedAt ? format.ago(key.lastUsedAt) : t('keys.never')),
    },
    {
      id: 'expires',
      name: t('keys.expiry'),
      width: '132px',
      wideOnly: true,
      sortBy: (key) => key.expiresAt ?? '~',
      cell: (key) => (
        <TwoLines
          first={key.expiresAt ? format.day(key.expiresAt) : t('keys.never')}
          second={t('keys.created', { when: format.ago(key.createdAt) })}
        />
      ),
    },
    ...(mayEdit
      ? [
          {
            id: 'actions',
            name: <VisuallyHidden>{t('common.actions')}</VisuallyHidden>,
            width: '32px',
            cell: (key: AccessKey) => (
              <KeyMenu accessKey={key} calls={used(key.callerId)?.calls ?? 0} onDo={onDo} />
            ),
          },
        ]
      : []),
  ];
  return (
    <PageTable
      label={t('nav.keys')}
      rows={keys}
      columns={columns}
      keyOf={({ id }) => id}
      sortedWith={used}
      rowHeight={twoLineHeight}
    />
  );
}

function KeyMenu({
  accessKey,
  calls,
  onDo,
}: {
  accessKey: AccessKey;
  calls: number;
  onDo: (doing: KeyDialogKind) => void;
}) {
  const t = useText();
  const revoke = useChange('POST', '/keys/:key/revoke', ['/keys']);
  const remove = useChange('DELETE', '/keys/:key', ['/keys']);
  const params = { key: accessKey.id };
  const state = keyState(accessKey, Date.now());
  const works = state === 'active' || state === 'ending';
  const used = t('affected.calls', { count: calls });
  const onRevoke = async () => {
    const title = t('keys.revokeTitle', { name: accessKey.name });
    if (await confirm({ title, text: `${used} ${t('keys.revokeText')}`, action: t('keys.revoke') }))
      revoke.mutate({ params }, { onSuccess: () => toastDone(t('keys.revokedDone')), onError: toastProblem });
  };
  const onDelete = async () => {
    const title = t('keys.deleteTitle', { name: accessKey.name });
    const text = works ? `${used} ${t('keys.deleteText')}` : t('keys.deleteInactiveText');
    if (await confirm({ title, text, action: t('common.delete') }))
      remove.mutate({ params }, { onError: toastProblem });
  };
  return (
    <ActionMenu
      button={
        <Button size="xs" px={7} variant="default" aria-label={t('common.moreOf', { name: accessKey.name })}>
          <EllipsisVertical size={15} aria-hidden />
        </Button>
      }
      actions={[
        ...(works
          ? [
              {
                name: t('common.edit'),
                icon: Pencil,
                onChoose: () => onDo({ what: 'edit', key: accessKey }),
              },
              {
                name: t('keys.rotate'),
                icon: RefreshCw,
                onChoose: () => onDo({ what: 'rotate', key: accessKey }),
              },
              {
                name: t('keys.revoke'),
                icon: Ban,
                destructive: true,
                onChoose: () => void onRevoke(),
              },
            ]
          : []),
        {
          name: t('common.delete'),
          icon: Trash2,
          destructive: true,
          onChoose: () => void onDelete(),
        },
      ]}
    />
  );
}
