import { Modal } from '@mantine/core';
import { useChange } from '../../api/queries.ts';
import type { AccessKey } from '../../api/resources.ts';
import { toastDone, toastProblem } from '../../components/feedback/toasts.ts';
import { useText } from '../../i18n/text.tsx';
import { KeyForm } from './KeyForm.tsx';
import { RotateKey } from './RotateKey.tsx';
import { ShowKey } from './ShowKey.tsx';

/** What to do with a key. */
export type KeyDialogKind =
  | { readonly what: 'new'; readonly server?: string }
  | { readonly what: 'edit' | 'rotate'; readonly key: AccessKey };

/** The dialog for an action on a key. */
export default function KeyDialog({ doing, onClose }: { doing: KeyDialogKind; onClose: () => void }) {
  if (doing.what === 'new') return <NewKey server={doing.server} onClose={onClose} />;
  const Dialog = doing.what === 'edit' ? EditKey : RotateKey;
  return <Dialog accessKey={doing.key} onClose={onClose} />;
}

/** Creates a key and shows it once. */
function NewKey({ server, onClose }: { server: string | undefined; onClose: () => void }) {
  const t = useText();
  const create = useChange('POST', '/keys', ['/keys']);
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={create.data ? t('keys.ready') : t('keys.add')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      closeOnClickOutside={!create.data}
      closeOnEscape={!create.data}
    >
      {create.data ? (
        <ShowKey value={create.data.key} onDone={onClose} />
      ) : (
        <KeyForm
          {...(server !== undefined && { server })}
          action={t('keys.create')}
          busy={create.isPending}
          onSubmit={({ name, ...scope }) =>
            create.mutate(
              {
                body: {
                  name,
                  ...(Object.fromEntries(
                    Object.entries(scope).filter(([, value]) => value !== null),
                  ) as Partial<{ servers: string[] }>),
                },
              },
              { onError: toastProblem },
            )
          }
        />
      )}
    </Modal>
  );
}

/** Changes the permissions of a key; the key itself stays the same. */
function EditKey({ accessKey, onClose }: { accessKey: AccessKey; onClose: () => void }) {
  const t = useText();
  const update = useChange('PATCH', '/keys/:key', ['/keys']);
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={t('keys.editTitle', { name: accessKey.name })}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <KeyForm
        accessKey={accessKey}
        action={t('common.save')}
        busy={update.isPending}
        onSubmit={(body) =>
          update.mutate(
            { params: { key: accessKey.id }, body, revision: accessKey.revision },
            {
              onSuccess: () => {
                toastDone(t('common.saved'));
                onClose();
              },
              onError: toastProblem,
            },
          )
        }
      />
    </Modal>
  );
}
