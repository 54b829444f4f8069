import { Button, Modal, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useChange } from '../../api/queries.ts';
import { toastProblem } from '../../components/feedback/toasts.ts';
import { useText } from '../../i18n/text.tsx';
import { slugOf } from './slug-of.ts';

/** Names a server that is to be published. */
export default function NewServer({ onClose }: { onClose: () => void }) {
  const t = useText();
  const [, go] = useLocation();
  const [name, setName] = useState('');
  const create = useChange('POST', '/servers', ['/servers']);
  const slug = slugOf(name);
  const submit = () =>
    create.mutate(
      { body: { slug, name, tools: [] } },
      { onSuccess: (server) => go(`/servers/${server.slug}?tab=tools`), onError: toastProblem },
    );
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('servers.add')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Stack gap="md">
          <TextInput
            label={t('common.name')}
            data-autofocus
            required
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            description={slug && `/mcp/${slug}`}
          />
          <Button type="submit" loading={create.isPending} disabled={slug === ''}>
            {t('servers.create')}
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}
