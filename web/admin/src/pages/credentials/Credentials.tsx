import { Badge, Button, Group, Modal, Select } from '@mantine/core';
import { LockKeyhole, Plus } from 'lucide-react';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { useAll, useChange } from '../../api/queries.ts';
import type { Api, Credential } from '../../api/resources.ts';
import { RequireRole } from '../../app/account/permissions.tsx';
import { confirm } from '../../components/feedback/confirm.ts';
import { ListPage, ListRows } from '../../components/tables/ListPage.tsx';
import { Row } from '../../components/tables/RowList.tsx';
import { toastDone, toastProblem } from '../../components/feedback/toasts.ts';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { CredentialForm } from './CredentialForm.tsx';

const wordsOf = (credential: Credential) =>
  `${credential.name} ${credential.api} ${credential.kind} ${credential.callerId ?? ''}`;

/** Secrets the gateway uses to call APIs. Values are write-only. */
export default function Credentials() {
  const t = useText();
  const [search, setSearch] = useSearchParams();
  const wanted = search.get('api');
  const [asked, setEntering] = useState(false);
  const entering = asked || wanted !== null;
  const credentials = useAll('/credentials', {});
  const apis = useAll('/apis', {});
  const wanting = (apis.data ?? []).filter((api) => api.auth.kind !== 'none');
  return (
    <ListPage
      title={t('nav.credentials')}
      lead={t('credentials.lead')}
      edits="editor"
      query={credentials}
      empty={{
        icon: LockKeyhole,
        title: t('credentials.empty'),
        text: t(wanting.length === 0 ? 'credentials.noneNeeded' : 'credentials.emptyText'),
      }}
      searchLabel={t('credentials.search')}
      wordsOf={wordsOf}
      add={
        wanting.length > 0 && (
          <RequireRole>
            <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setEntering(true)}>
              {t('credentials.add')}
            </Button>
          </RequireRole>
        )
      }
      dialogs={
        entering &&
        apis.data !== undefined && (
          <Enter
            apis={wanting}
            first={wanted}
            onClose={() => {
              setEntering(false);
              if (wanted !== null) setSearch({}, { replace: true });
            }}
          />
        )
      }
    >
      {(found) => (
        <ListRows
          things={found}
          row={(credential) => <CredentialRow key={credential.id} credential={credential} />}
        />
      )}
    </ListPage>
  );
}

function CredentialRow({ credential }: { credential: Credential }) {
  const t = useText();
  const format = useFormats();
  const test = useChange('POST', '/credentials/:credential/test');
  const remove = useChange('DELETE', '/credentials/:credential', ['/credentials', '/apis', '/apis/:api']);
  const params = { credential: credential.id };
  const onDelete = async () => {
    if (
      await confirm({
        title: t('credentials.deleteTitle', { name: credential.name }),
        text: t('credentials.deleteText'),
        action: t('common.delete'),
      })
    )
      remove.mutate({ params }, { onError: toastProblem });
  };
  const onTest = () =>
    test.mutate(
      { params, body: {} },
      {
        onSuccess: ({ ok, message }) =>
          ok === false ? toastProblem(new Error(message)) : toastDone(message),
        onError: toastProblem,
      },
    );
  return (
    <Row
      name={credential.name}
      href={`/apis/${credential.api}`}
      badge={
        <>
          <Badge color="gray">{t(`auth.${credential.kind as 'bearer'}`)}</Badge>{' '}
          {credential.callerId && <Badge>{credential.callerId}</Badge>}
        </>
      }
      note={`${credential.fields.map((name) => [name, credential.references?.[name]].filter(Boolean).join(' = ')).join(', ')} · ${credential.origins.join(', ')} · ${format.ago(credential.updatedAt)}`}
      side={
        <RequireRole>
          <Group gap="xs">
            <Button size="xs" variant="default" loading={test.isPending} onClick={onTest}>
              {t('credentials.test')}
            </Button>
            <Button size="xs" variant="subtle" color="red" onClick={() => void onDelete()}>
              {t('common.delete')}
            </Button>
          </Group>
        </RequireRole>
      }
    />
  );
}

function Enter({
  apis,
  first,
  onClose,
}: {
  apis: readonly Api[];
  first: string | null;
  onClose: () => void;
}) {
  const t = useText();
  const [id, setId] = useState((apis.find(({ slug }) => slug === first) ?? apis[0])?.id ?? null);
  const api = apis.find((entry) => entry.id === id);
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('credentials.add')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <Select
        label={t('calls.api')}
        mb="md"
        allowDeselect={false}
        searchable
        data={apis.map((entry) => ({ value: entry.id, label: entry.name }))}
        value={id}
        onChange={setId}
      />
      {api && <CredentialForm key={api.id} api={api} onDone={onClose} />}
    </Modal>
  );
}
