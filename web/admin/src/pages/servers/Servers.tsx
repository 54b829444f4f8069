import { Badge, Button } from '@mantine/core';
import { Plus, Server as ServerIcon } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useAll } from '../../api/queries.ts';
import type { Server } from '../../api/resources.ts';
import { Only, useMay } from '../../app/account/permissions.tsx';
import { ListPage } from '../../components/tables/ListPage.tsx';
import { Row } from '../../components/tables/RowList.tsx';
import { TickSwitch } from '../../components/inputs/Tick.tsx';
import { useToggle } from '../../editing/use-toggle.ts';
import { useText } from '../../i18n/text.tsx';

const NewServer = lazy(() => import('./NewServer.tsx'));

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
      <Suspense>{making && <NewServer onClose={() => setMaking(false)} />}</Suspense>
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
          <TickSwitch
            label={t('common.enabledOf', { name: server.name })}
            checked={server.enabled}
            onChange={toggle}
            disabled={!mayEdit}
          />
        </>
      }
    />
  );
}
