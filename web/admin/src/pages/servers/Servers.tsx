import { Badge, Button, Modal, Stack, Switch, TextInput } from '@mantine/core';
import { Plus, Server as ServerIcon } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useAll, useChange } from '../../api/queries.ts';
import type { Server } from '../../api/resources.ts';
import { Only, useMay } from '../../app/may.tsx';
import { ListPage } from '../../components/ListPage.tsx';
import { Row } from '../../components/RowList.tsx';
import { toastProblem } from '../../components/toasts.tsx';
import { useToggle } from '../../editing/use-toggle.ts';
import { useText } from '../../i18n/text.tsx';
import { slugOf } from './slug-of.ts';

const wordsOf = (server: Server) => `${server.name} ${server.slug} ${server.description ?? ''}`;

/** The MCP servers this gateway publishes. */
export default function Servers() {
  const t = useText();
  const [making, setMaking] = useState(false);
  const servers = useAll('/servers', {});
  return (
    <ListPage
      title={t('nav.servers')}
      lead={t('servers.lead')}
      edits="editor"
      query={servers}
      empty={{ icon: ServerIcon, title: t('servers.empty'), text: t('servers.lead') }}
      searchLabel={t('servers.search')}
      wordsOf={wordsOf}
      add={
        <Only>
          <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setMaking(true)}>
            {t('servers.add')}
          </Button>
        </Only>
      }
      row={(server) => <ServerRow key={server.id} server={server} />}
    >
      <NewServer opened={making} onClose={() => setMaking(false)} />
    </ListPage>
  );
}

function ServerRow({ server }: { server: Server }) {
  const t = useText();
  const mayEdit = useMay('editor');
  const toggle = useToggle('/servers/:server', '/servers', server, { server: server.id });
  return (
    <Row
      name={server.name}
      href={`/servers/${server.slug}`}
      badge={
        <Badge color={server.policy.kind === 'open' ? 'orange' : 'brand'}>
          {t(`policy.${server.policy.kind}`)}
        </Badge>
      }
      note={server.url}
      side={
        <>
          <Badge color="gray" variant="outline">
            {t('tools.count', { count: server.toolCount })}
          </Badge>
          <Switch
            aria-label={t('common.enabledOf', { name: server.name })}
            checked={server.enabled}
            onChange={toggle}
            disabled={!mayEdit}
          />
        </>
      }
    />
  );
}

function NewServer({ opened, onClose }: { opened: boolean; onClose: () => void }) {
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
      opened={opened}
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
