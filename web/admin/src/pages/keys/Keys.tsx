import { Badge, Button } from '@mantine/core';
import { Ban, EllipsisVertical, KeyRound, Pencil, Plus, RefreshCw, Trash2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useSearchParams } from 'wouter';
import { useAll, useChange } from '../../api/queries.ts';
import type { AccessKey } from '../../api/resources.ts';
import { RequireRole } from '../../app/account/permissions.tsx';
import { ActionMenu } from '../../components/ActionMenu.tsx';
import { confirm } from '../../components/feedback/confirm.ts';
import { ListPage } from '../../components/tables/ListPage.tsx';
import { Row } from '../../components/tables/RowList.tsx';
import { type Usage, UsageView } from '../../components/display/UsageView.tsx';
import { toastDone, toastProblem } from '../../components/feedback/toasts.ts';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import type { KeyDialogKind } from './KeyDialogs.tsx';
import { keyState } from './key-state.ts';

const KeyDialog = lazy(() => import('./KeyDialogs.tsx'));

const wordsOf = (key: AccessKey) => `${key.name} ${key.hint} ${key.servers?.join(' ') ?? ''}`;

/** Active keys first, newest on top. */
function inOrder(keys: readonly AccessKey[]): AccessKey[] {
  const dead = (key: AccessKey) => ['revoked', 'expired'].includes(keyState(key, Date.now()));
  return keys.toSorted((a, b) => Number(dead(a)) - Number(dead(b)) || (a.createdAt < b.createdAt ? 1 : -1));
}

// A rotated key counts as the same caller as its replacement.
const usageOf = { by: 'caller', nameOf: (key: AccessKey) => key.callerId } as const;

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
      usage={usageOf}
      row={(key, usage) => <KeyRow key={key.id} accessKey={key} usage={usage} onDo={setDoing} />}
    >
      <Suspense>{doing && <KeyDialog doing={doing} onClose={close} />}</Suspense>
    </ListPage>
  );
}

const colors = { active: 'green', ending: 'orange', expired: 'gray', revoked: 'gray' } as const;

function KeyRow({
  accessKey,
  usage,
  onDo,
}: {
  accessKey: AccessKey;
  usage: Usage | null | undefined;
  onDo: (doing: KeyDialogKind) => void;
}) {
  const t = useText();
  const format = useFormats();
  const revoke = useChange('POST', '/keys/:key/revoke', ['/keys']);
  const remove = useChange('DELETE', '/keys/:key', ['/keys']);
  const params = { key: accessKey.id };
  const state = keyState(accessKey, Date.now());
  const works = state === 'active' || state === 'ending';
  const used = t('affected.calls', { count: usage?.calls ?? 0 });
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
    <Row
      name={accessKey.name}
      badge={
        <>
          <Badge color={colors[state]}>{t(`keys.${state}`)}</Badge>{' '}
          {accessKey.replaces && <Badge color="gray">{t('keys.rotated')}</Badge>}
        </>
      }
      note={[
        <code key="hint">{accessKey.hint}…</code>,
        accessKey.servers ? accessKey.servers.join(', ') || t('keys.noServer') : t('keys.everyServer'),
        accessKey.tools && t('tools.count', { count: accessKey.tools.length }),
        accessKey.ratePerMinute ? t('keys.perMinute', { count: accessKey.ratePerMinute }) : null,
        accessKey.expiresAt && t('keys.until', { when: format.moment(accessKey.expiresAt) }),
        accessKey.lastUsedAt
          ? t('keys.used', { when: format.ago(accessKey.lastUsedAt) })
          : t('keys.neverUsed'),
        t('keys.created', { when: format.ago(accessKey.createdAt) }),
      ]
        .filter(Boolean)
        .flatMap((part, at) => (at === 0 ? [part] : [' · ', part]))}
      side={
        <>
          <UsageView usage={usage} name={accessKey.name} />
          <RequireRole>
            {works && (
              <Button
                size="xs"
                variant="default"
                visibleFrom="sm"
                onClick={() => onDo({ what: 'edit', key: accessKey })}
              >
                {t('common.edit')}
              </Button>
            )}
            <ActionMenu
              button={
                <Button
                  size="xs"
                  px={7}
                  variant="default"
                  aria-label={t('common.moreOf', { name: accessKey.name })}
                >
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
          </RequireRole>
        </>
      }
    />
  );
}
